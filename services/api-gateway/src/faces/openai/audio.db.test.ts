import { describe, expect, it } from '@jest/globals';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const schemaOf = (properties: object, required: string[] = []) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties,
  required,
});
const file = { type: 'string', format: 'file' };
const text = { type: 'string' };
const number = { type: 'number' };

const { post, run, count, gateway } = await faceGateway('openai', [
  {
    slug: 'speaker',
    input_schema: schemaOf({ prompt: text, voice: { enum: ['alloy', 'ash'] }, speed: number }, ['prompt']),
    output: { kind: 'audios' },
  },
  {
    slug: 'listener',
    input_schema: schemaOf({ audio: file, language: text, temperature: number }, ['audio']),
    output: { kind: 'text' },
  },
  {
    slug: 'translator',
    input_schema: schemaOf({ audio_url: file, task: { enum: ['transcribe', 'translate'] } }, ['audio_url']),
    output: { kind: 'raw' },
  },
  { slug: 'painter', input_schema: schemaOf({ prompt: text }), output: { kind: 'images' } },
]);

/** The head of a recording in PCM, and half a second of silence. */
const wav = Buffer.concat([
  Buffer.from('524946464c1f000057415645666d74201000000001000100401f0000803e000002001000', 'hex'),
  Buffer.from('64617461401f0000', 'hex'),
  Buffer.alloc(8000),
]);

/** Equal requests of other tests do not join. */
let said = 0;
const speak = (body: object = {}) =>
  post('/audio/speech').send({ model: 'speaker', input: `hello ${said++}`, voice: 'alloy', ...body });

const spoken = Buffer.alloc(150_001, 'spoken');
const saidAs: TestOutput = async (store) => ({
  audios: [{ file_id: await store('speech.mp3', spoken, 'audio/mpeg'), format: 'mp3', duration: 2 }],
});

describe('speech', () => {
  it('is a file with its type', async () => {
    const { response, execution } = await run(speak({ speed: 1.5, response_format: 'mp3' }).buffer(), saidAs);
    expect([response.status, response.body.equals(spoken)]).toEqual([200, true]);
    expect(response.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': '150001',
      'holdfast-execution': execution.id,
      'holdfast-hold': '0.012',
      'holdfast-cost': '0.01',
    });
    expect(execution.input).toEqual({ prompt: `hello ${said - 1}`, voice: 'alloy', speed: 1.5 });
  });

  it('comes as events, when asked for', async () => {
    const { response } = await run(speak({ stream_format: 'sse', voice: { id: 'ash' } }), saidAs);
    const events = response.text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done' });
    const audio = events.slice(0, -1).map((event) => Buffer.from(event.audio, 'base64'));
    expect(Buffer.concat(audio).equals(spoken)).toBe(true);
  });

  it.each([
    ['no text', { input: '' }, 'out_of_range', 'input'],
    ['an unknown voice', { voice: 'nobody' }, 'invalid_value', 'voice'],
    ['a voice that is none', { voice: 3 }, 'invalid_type', 'voice'],
    ['a model that draws', { model: 'painter' }, 'model_not_supported', 'model'],
  ])('of %s is refused', async (_what, body, code, param) => {
    const response = await speak(body);
    expect([response.status, response.body.error]).toMatchObject([400, { code, param }]);
  });
});

const listen = (to: string, model: string, fields: Record<string, string> = {}) =>
  post(`/audio/${to}`)
    .field({ model, user: `${said++}`, ...fields })
    .attach('file', wav, { filename: 'audio.wav', contentType: 'audio/wav' });

const heard = async () => ({ text: ' hello there ' });
const chunks = [
  { timestamp: [0, 1.5], text: ' hello', avg_logprob: -0.25 },
  { timestamp: [3661.25, null], text: ' there' },
];
const timed = async () => ({ text: 'hello there', chunks, language: 'en', duration: 3662 });

describe('a transcription', () => {
  it('is a text, with the length of the recording if it is known', async () => {
    const fields = { language: 'en', temperature: '0.5', response_format: 'json' };
    const { response, execution } = await run(listen('transcriptions', 'listener', fields), heard, {
      billed: { input_seconds: 2.5 },
    });
    expect(response.body).toEqual({ text: 'hello there', usage: { type: 'duration', seconds: 2.5 } });
    expect(execution.input).toEqual({
      audio: expect.stringMatching(/^file_/),
      language: 'en',
      temperature: 0.5,
    });
  });

  it('is a plain text, when asked for', async () => {
    const { response } = await run(listen('transcriptions', 'listener', { response_format: 'text' }), heard);
    expect([response.headers['content-type'], response.text]).toEqual([
      'text/plain; charset=utf-8',
      'hello there\n',
    ]);
  });

  it('has times and language in its verbose form, where the model gives them', async () => {
    const verbose = { response_format: 'verbose_json' };
    const { response: plain } = await run(listen('transcriptions', 'listener', verbose), heard);
    expect(plain.body).toEqual({ task: 'transcribe', text: 'hello there' });
    const { response } = await run(listen('transcriptions', 'translator', verbose), timed);
    expect(response.body).toMatchObject({
      duration: 3662,
      language: 'en',
      segments: [
        { id: 0, start: 0, end: 1.5, text: 'hello', tokens: [], avg_logprob: -0.25, no_speech_prob: 0 },
        { id: 1, start: 3661.25, end: 3661.25, text: 'there', avg_logprob: 0, compression_ratio: 1 },
      ],
    });
  });

  it('has subtitles of a model that gives times', async () => {
    const srt = { response_format: 'srt' };
    const { response } = await run(listen('transcriptions', 'translator', srt), timed);
    expect(response.text).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nhello\n\n2\n01:01:01,250 --> 01:01:01,250\nthere\n',
    );
    const vtt = { response_format: 'vtt' };
    const { response: second } = await run(listen('transcriptions', 'translator', vtt), timed);
    expect(second.text).toMatch(/^WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nhello\n\n01/);
    const { response: without } = await run(listen('transcriptions', 'translator', srt), heard);
    expect([without.status, without.body.error.param, without.headers['x-should-retry']]).toEqual([
      400,
      'response_format',
      'false',
    ]);
  });

  it('comes as events, when asked for', async () => {
    const { response } = await run(listen('transcriptions', 'listener', { stream: 'true' }), heard);
    expect(response.text).toBe(
      'event: transcript.text.delta\ndata: {"type":"transcript.text.delta","delta":"hello there"}\n\n' +
        'event: transcript.text.done\ndata: {"type":"transcript.text.done","text":"hello there"}\n\n',
    );
  });

  it('reports the failure of its execution as an event of its stream', async () => {
    const failed = { status: 'FAILED', cost: null, errorCode: 'MODEL_OVERLOADED', errorMessage: 'busy' };
    const { response } = await run(listen('transcriptions', 'listener', { stream: 'true' }), heard, failed);
    expect(JSON.parse(response.text.slice('data: '.length)).error).toMatchObject({ message: 'busy' });
  });

  it.each([
    [
      'subtitles of a model that gives a text alone',
      'listener',
      { response_format: 'srt' },
      'response_format',
    ],
    ['an unknown format', 'listener', { response_format: 'docx' }, 'response_format'],
    ['a model that draws', 'painter', {}, 'model'],
  ])('is refused before it is held: %s', async (_what, model, fields, param) => {
    const before = await count();
    const { status, body } = await listen('transcriptions', model, fields);
    expect([status, body.error.param, await count()]).toEqual([400, param, before]);
  });
});

describe('a translation', () => {
  it('is the task of a model that can', async () => {
    const { response, execution } = await run(listen('translations', 'translator'), timed);
    expect(response.body).toEqual({ text: 'hello there', usage: { type: 'duration', seconds: 3662 } });
    expect(execution.input).toMatchObject({ task: 'translate' });
    const { status, body } = await listen('translations', 'listener');
    expect([status, body.error.code]).toEqual([400, 'unsupported_parameter']);
  });
});

const rubbish = [
  undefined,
  '',
  '{',
  '[]',
  'null',
  '{"model":1}',
  '{"model":"listener"}',
  '{"model":"listener","file":{}}',
  '{"model":"speaker","input":"a","voice":["x"]}',
  '{"model":"listener","file":["data:x;base64,",null]}',
  '{"model":"__proto__","input":"a","prompt":"b","n":1e400,"size":{}}',
  '{"model":"speaker","input":"\\ud800","image":"data:,","file":"https://"}',
  '{"model":"painter","prompt":{"a":[]},"n":"x","stream":"maybe"}',
];
const types = ['application/json', 'multipart/form-data', 'multipart/form-data; boundary=x', 'text/plain'];
const paths = [
  'embeddings',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
];

describe('rubbish', () => {
  it.each(paths)('sent to /%s is refused in the shape of OpenAI', async (path) => {
    const form = '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nlistener\r\n--x';
    for (const type of types)
      for (const body of [...rubbish, form, `${form}--`, `${form}\r\n\r\n`]) {
        const sent = post(`/${path}`).set('content-type', type);
        const response = await (body === undefined ? sent : sent.serialize(String).send(body));
        expect([response.status >= 400 && response.status < 500, response.body]).toEqual([
          true,
          {
            error: {
              message: expect.any(String),
              type: expect.any(String),
              param: response.body.error.param,
              code: response.body.error.code,
            },
          },
        ]);
      }
    expect(gateway.context.bodies.heldBytes()).toBe(0);
  });
});
