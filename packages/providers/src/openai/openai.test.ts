import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { type Subject, secrets, submissionOf } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import type { FilePart } from '../interface.ts';
import { createOpenai } from './openai.ts';
import { fixture } from './testing/fixture.ts';

const queued = fixture('responseQueued');
const completed = fixture('responseCompleted');
const failed = fixture('responseFailed');
const incomplete = fixture('responseIncomplete');
const refused = fixture('responseRefused');
const transcription = fixture('transcription');

const leak = `${secrets.upstream} - OpenAI at http://127.0.0.1:5000/v1 (key ${secrets.apiKey}) cannot run ${secrets.providerModel}`;
const refusal = (status: number, code: string | null, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'x-request-id': 'req-1', ...headers },
  json: { error: { message: leak, type: 'some_error', param: null, code } },
});
const choice = (part: object) => ({ status: 200, json: { choices: [{ finish_reason: 'stop', ...part }] } });

const invalid: Subject['invalid'] = (param, message) => ({
  status: 400,
  json: { error: { message, type: 'invalid_request_error', param, code: 'invalid_value' } },
});

const failures: Subject['failures'] = [
  {
    name: 'a moderation code',
    reply: refusal(400, 'moderation_blocked'),
    state: 'ended',
    code: 'CONTENT_MODERATION_REJECTED',
  },
  {
    name: 'a policy code',
    reply: refusal(400, 'content_policy_violation'),
    state: 'ended',
    code: 'CONTENT_MODERATION_REJECTED',
  },
  ...[401, 402, 403, 405, 302].map((status) => ({
    name: `${status}`,
    reply: refusal(status, 'invalid_api_key'),
    state: 'refused' as const,
    retryAfterMs: null,
    alerts: true,
    code: status === 405 ? ('MODEL_UNAVAILABLE' as const) : ('SERVICE_UNAVAILABLE' as const),
  })),
  {
    name: '404',
    reply: refusal(404, 'model_not_found'),
    state: 'refused',
    retryAfterMs: null,
    alerts: true,
    code: 'MODEL_UNAVAILABLE',
  },
  { name: '429', reply: refusal(429, 'rate_limit_exceeded'), state: 'refused', code: 'MODEL_OVERLOADED' },
  {
    name: '429 that says when, to the millisecond',
    reply: refusal(429, 'rate_limit_exceeded', { 'retry-after-ms': '1234', 'retry-after': '2' }),
    state: 'refused',
    retryAfterMs: 1234,
    code: 'MODEL_OVERLOADED',
  },
  {
    name: '429 not to be retried',
    reply: refusal(429, null, { 'x-should-retry': 'false' }),
    state: 'refused',
    retryAfterMs: null,
    code: 'MODEL_OVERLOADED',
  },
  {
    name: 'an empty quota',
    reply: refusal(429, 'insufficient_quota'),
    state: 'refused',
    retryAfterMs: null,
    alerts: true,
    code: 'SERVICE_UNAVAILABLE',
  },
  { name: '500', reply: refusal(500, null), state: 'ended', code: 'GENERATION_FAILED' },
  {
    name: '500 to be sent again',
    reply: refusal(500, null, { 'x-should-retry': 'true' }),
    state: 'refused',
    code: 'GENERATION_FAILED',
  },
  {
    name: '502 of a proxy',
    reply: { status: 502, text: `<html>${leak}</html>` },
    state: 'unknown',
    code: 'GENERATION_FAILED',
  },
  { name: '409', reply: refusal(409, null), state: 'refused', code: 'MODEL_OVERLOADED' },
  { name: '503', reply: refusal(503, null), state: 'refused', code: 'MODEL_OVERLOADED' },
  { name: '504', reply: refusal(504, null), state: 'unknown', code: 'GENERATION_TIMEOUT' },
];

const chunk = (part: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1741569952, model: 'gpt-4.1', ...part })}\n\n`;
const delta = (part: object, reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: part, logprobs: null, finish_reason: reason }], usage: null });

const chat: Subject = {
  name: 'openai',
  create: createOpenai,
  submission: {},
  success: () => ({ status: 200, json: fixture('chatCompletion') }),
  outcome: {
    output: { text: 'Hello! How can I assist you today?' },
    usage: { inputTokens: 19, outputTokens: 10 },
  },
  failures: [
    ...failures,
    {
      name: 'filtered content',
      reply: choice({ finish_reason: 'content_filter', message: { content: '' } }),
      state: 'ended',
      code: 'CONTENT_MODERATION_REJECTED',
    },
  ],
  invalid,
  empty: [
    { status: 200, json: { choices: [] } },
    { status: 200, json: { error: 'no' } },
    choice({ message: { content: null } }),
  ],
  recovery: 'impossible',
  streaming: {
    start: () => delta({ role: 'assistant', content: '', refusal: null }),
    piece: (content) => delta({ content }),
    end: (_run, { usage }) =>
      [
        delta({}, 'stop'),
        usage ? chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } }) : '',
        'data: [DONE]\n\n',
      ].join(''),
    reportsUsage: true,
    error: (message) =>
      `data: ${JSON.stringify({ error: { message, type: 'server_error', code: null } })}\n\n`,
  },
};

/** An event in the stream of `POST /responses`. */
const event = (type: string, part: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...part })}\n\n`;

const responsesStreaming: NonNullable<Subject['streaming']> = {
  replies: (run, stream) => [stream, { status: 404, json: { error: { message: `no ${run.id}` } } }],
  start: (run) => event('response.created', { response: { ...queued, id: run.id }, sequence_number: 0 }),
  piece: (text) =>
    event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text }),
  end: (run, { pieces, usage }) =>
    event('response.completed', {
      response: {
        ...completed,
        id: run.id,
        output: [
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: pieces.join('') }] },
        ],
        usage: usage ? { input_tokens: 3, output_tokens: 9 } : null,
      },
    }),
  reportsUsage: true,
  error: (message) => event('error', { code: 'server_error', message, param: null }),
  afterCut: { state: 'running' },
};

const { streaming: _streamed, ...atOnce } = chat;
const images: Subject = {
  ...atOnce,
  submission: {
    options: { endpoint: 'images' },
    mapping: { output: { kind: 'images' }, errors: [] },
    input: { prompt: 'a fox', n: 2 },
  },
  success: () => ({
    status: 200,
    json: {
      data: [{ b64_json: 'AAAA' }, { url: 'https://a/b.png' }],
      usage: { input_tokens: 3, output_tokens: 5 },
    },
  }),
  outcome: {
    output: { images: [{ url: 'data:application/octet-stream;base64,AAAA' }, { url: 'https://a/b.png' }] },
    usage: { inputTokens: 3, outputTokens: 5 },
  },
  failures,
  empty: [
    { status: 200, json: { data: [] } },
    { status: 200, json: { data: [{}] } },
  ],
};

/** Base64 of the bytes of an image; `fileUrl` takes it for what it is. */
const picture = (name: string) => `data:image/png;base64,${name}`;

const imageStreaming = (prefix: string): NonNullable<Subject['streaming']> => ({
  kind: 'image',
  submission: { input: { prompt: 'a fox' } },
  pieces: [picture('AAAA'), picture('BBBB')],
  output: { images: [{ url: picture('CCCC') }] },
  start: () => ': connected\n\n',
  piece: (b64_json) => event(`${prefix}.partial_image`, { b64_json, partial_image_index: 0 }),
  end: (_run, { usage }) =>
    event(`${prefix}.completed`, {
      b64_json: picture('CCCC'),
      ...(usage && { usage: { input_tokens: 3, output_tokens: 9, total_tokens: 12 } }),
    }),
  reportsUsage: true,
  error: (message) => event('error', { error: { code: 'server_error', message, param: null } }),
});

const edits: Subject = {
  ...images,
  streaming: imageStreaming('image_edit'),
  submission: { ...images.submission, options: { endpoint: 'image_edits' } },
};

const transcriptions: Subject = {
  ...atOnce,
  submission: { options: { endpoint: 'transcriptions' }, input: { language: 'en' } },
  success: () => ({ status: 200, json: transcription }),
  outcome: {
    output: { text: "Imagine the wildest idea that you've ever had." },
    usage: { inputTokens: 0, outputTokens: 0 },
    measured: { seconds: 9 },
  },
  failures,
  empty: [{ status: 200, json: {} }],
};

const times = { language: 'english', duration: 9, segments: [{ id: 0, start: 0, end: 9, text: ' Imagine' }] };
const verbose = { ...times, segments: [{ ...times.segments[0], tokens: [50364] }] };
const timedTranscriptions: Subject = {
  ...transcriptions,
  submission: { ...transcriptions.submission, mapping: { output: { kind: 'raw' }, errors: [] } },
  success: () => ({ status: 200, json: { ...transcription, ...verbose } }),
  outcome: { ...transcriptions.outcome, output: { ...transcriptions.outcome.output, ...times } },
};

const of = (run: { id: string }, response: object): Reply => ({
  status: 200,
  json: { ...response, id: run.id },
});

const { success: _success, ...later } = atOnce;
const responses: Subject = {
  ...later,
  submission: { options: { endpoint: 'responses' } },
  outcome: {
    output: { text: 'One summer night, the fox slept.' },
    usage: { inputTokens: 36, outputTokens: 87 },
  },
  failures,
  streaming: responsesStreaming,
  empty: [of({ id: 'x' }, { ...completed, output: [] }), of({ id: 'x' }, { ...completed, status: 'new' })],
  asyncRuns: {
    accepted: (run) => of(run, queued),
    running: (run) => [of(run, { ...queued, status: 'in_progress' })],
    succeeded: (run) => [of(run, completed)],
    failures: [
      { name: 'an error of the server', replies: (run) => [of(run, failed)], code: 'GENERATION_FAILED' },
      {
        name: 'a flagged prompt',
        replies: (run) => [
          of(run, {
            ...failed,
            error: { code: 'invalid_prompt', message: 'Invalid prompt: flagged by our usage policy.' },
          }),
        ],
        code: 'CONTENT_MODERATION_REJECTED',
      },
      {
        name: 'a picture of another format',
        replies: (run) => [of(run, { ...failed, error: { code: 'invalid_image_format', message: leak } })],
        code: 'FILE_FORMAT_UNSUPPORTED',
      },
      {
        name: 'a rate limit',
        replies: (run) => [of(run, { ...failed, error: { code: 'rate_limit_exceeded', message: leak } })],
        code: 'MODEL_OVERLOADED',
      },
      { name: 'a refusal', replies: (run) => [of(run, refused)], code: 'CONTENT_MODERATION_REJECTED' },
      {
        name: 'filtered content',
        replies: (run) => [of(run, { ...incomplete, incomplete_details: { reason: 'content_filter' } })],
        code: 'CONTENT_MODERATION_REJECTED',
      },
      {
        name: 'nothing said before the tokens ran out',
        replies: (run) => [of(run, { ...incomplete, output: [] })],
        code: 'GENERATION_FAILED',
      },
      {
        name: 'a run that was stopped',
        replies: (run) => [of(run, { ...queued, status: 'cancelled' })],
        code: 'GENERATION_FAILED',
      },
      {
        name: 'a run that is gone',
        replies: () => [refusal(404, null)],
        code: 'GENERATION_FAILED',
        says: /lost/,
      },
    ],
    cancel: { method: 'POST', path: ({ externalId }) => `/v1/responses/${externalId}/cancel` },
  },
};

describe('chat', () => describeConformance(chat));
describe('responses', () => describeConformance(responses));
describe('image edits', () => describeConformance(edits));
describe('transcriptions', () => describeConformance(transcriptions));
describe('transcriptions with times', () => describeConformance(timedTranscriptions));
describe('images', () => describeConformance({ ...images, streaming: imageStreaming('image_generation') }));

async function sent(baseUrlPath: string, part: Parameters<typeof submissionOf>[1]) {
  const fakeServer = await startFakeServer();
  const provider = createOpenai({ baseUrl: fakeServer.baseUrl + baseUrlPath, apiKey: null, settings: {} });
  await provider.submit(submissionOf(chat, part), new AbortController().signal);
  provider.close();
  await fakeServer.close();
  return fakeServer.received[0];
}

describe('a background response', () => {
  const responsesTo = async (...replies: Reply[]) => {
    const fakeServer = await startFakeServer();
    const provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
    fakeServer.reply(...replies);
    const progress = await provider.submit(submissionOf(responses), new AbortController().signal);
    provider.close();
    await fakeServer.close();
    return { progress, received: fakeServer.received };
  };

  it('is requested with its input under the names of /responses', async () => {
    const input = { prompt: 'hi', system: 'be kind', max_tokens: 5, background: false };
    expect(
      await sent('', { input, options: { endpoint: 'responses', body: { store: false } } }),
    ).toMatchObject({
      path: '/v1/responses',
      json: {
        input: 'hi',
        instructions: 'be kind',
        max_output_tokens: 5,
        background: true,
        store: true,
        model: secrets.providerModel,
      },
    });
  });

  it('accepts chat messages with images', async () => {
    const content = [
      { type: 'text', text: 'what is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
    ];
    const input = { messages: [{ role: 'user', content }] };
    expect(await sent('', { input, options: { endpoint: 'responses' } })).toMatchObject({
      json: {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'what is it?' },
              { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
            ],
          },
        ],
      },
    });
  });

  it('ends at once if the server finishes it at once', async () => {
    const { progress } = await responsesTo({ status: 200, json: completed });
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true } });
  });

  it('keeps the text up to the token limit', async () => {
    const { progress } = await responsesTo({ status: 200, json: incomplete });
    expect(progress).toMatchObject({ outcome: { ok: true, output: { text: 'Once upon a' } } });
  });

  it('may end with reasoning alone', async () => {
    const json = { ...incomplete, output: [{ type: 'reasoning', summary: [] }] };
    const { progress } = await responsesTo({ status: 200, json });
    expect(progress).toMatchObject({ outcome: { ok: true, output: { text: '' } } });
  });

  it('alerts the operator when the server does not support it', async () => {
    const { progress } = await responsesTo({ status: 404, json: { detail: 'Not Found' } });
    expect(progress).toMatchObject({
      state: 'refused',
      retryAfterMs: null,
      alert: 'the connection does not offer /responses (it returns 404)',
    });
  });
});

describe('a form', () => {
  const file = (path: (string | number)[], bytes: string): FilePart => ({
    path,
    filename: 'fox.png',
    contentType: 'image/png',
    sizeBytes: bytes.length,
    open: async () => Readable.from([Buffer.from(bytes)]),
  });

  it('contains the bytes of files in place of their ids, and the rest as text', async () => {
    const request = await sent('', {
      options: { endpoint: 'image_edits', body: { quality: 'low' } },
      input: { prompt: 'a fox', n: 2, image: ['file_1', 'file_2'], mask: 'file_3' },
      parts: [file(['image', 0], 'one'), file(['image', 1], 'two'), file(['mask'], 'three')],
    });
    expect(request).toMatchObject({ method: 'POST', path: '/v1/images/edits' });
    const type = String(request?.headers['content-type']);
    const form = await new Response(String(request?.json), { headers: { 'content-type': type } }).formData();
    const texts = await Promise.all(
      [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()]),
    );
    expect(texts).toEqual([
      ['prompt', 'a fox'],
      ['n', '2'],
      ['image[]', 'one'],
      ['image[]', 'two'],
      ['mask', 'three'],
      ['quality', 'low'],
      ['model', secrets.providerModel],
    ]);
  });

  it('accepts audio to transcribe', async () => {
    const parts = [file(['file'], 'sound')];
    const input = { file: 'file_1', temperature: 0.5 };
    const request = await sent('', { options: { endpoint: 'transcriptions' }, input, parts });
    expect(request).toMatchObject({ path: '/v1/audio/transcriptions' });
    expect(String(request?.json)).toContain('name="file"; filename="fox.png"');
    const translated = {
      options: { endpoint: 'transcriptions' },
      input: { ...input, task: 'translate' },
      parts,
    };
    const second = await sent('', translated);
    expect(second).toMatchObject({ path: '/v1/audio/translations' });
    expect(String(second?.json)).not.toContain('name="task"');
  });
});

it('a server error is distinguished from a failed model', async () => {
  const fakeServer = await startFakeServer();
  const provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
  fakeServer.reply(refusal(500, null));
  const { signal } = new AbortController();
  expect(await provider.submit(submissionOf(chat), signal)).toMatchObject({
    state: 'ended',
    isTheirFault: true,
  });
  provider.close();
  await fakeServer.close();
});

describe('the request to an OpenAI-compatible server', () => {
  it('builds messages from prompt and system, and passes other fields on', async () => {
    const input = { prompt: 'hi', system: 'be kind', temperature: 0.5, model: 'other', stream: true };
    expect(await sent('', { input, options: { body: { seed: 1 } } })).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      json: {
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'hi' },
        ],
        temperature: 0.5,
        seed: 1,
        model: secrets.providerModel,
        stream: false,
      },
    });
  });

  it.each([
    [
      { content: null, reasoning_content: 'Hm' },
      { text: '', reasoning: 'Hm' },
    ],
    [
      { content: '', reasoning: 'Hm' },
      { text: '', reasoning: 'Hm' },
    ],
    [
      { content: null, tool_calls: [{ id: 'a' }] },
      { text: '', tool_calls: [{ id: 'a' }] },
    ],
    [{ content: 'Hi', reasoning: 'Hm', tool_calls: [] }, { text: 'Hi' }],
  ])('accepts a message without a text if it says something else: %j', async (message, output) => {
    const fakeServer = await startFakeServer();
    const provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
    fakeServer.reply(choice({ message, finish_reason: 'length' }));
    const progress = await provider.submit(submissionOf(chat), new AbortController().signal);
    provider.close();
    await fakeServer.close();
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true, output } });
  });

  it('passes messages on unchanged', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    expect(await sent('', { input: { messages } })).toMatchObject({ json: { messages } });
  });

  it.each([
    ['/v1', '/v1/chat/completions'],
    ['/v1beta/openai', '/v1beta/openai/chat/completions'],
    ['/proxy', '/proxy/v1/chat/completions'],
  ])('a base URL that ends in %s leads to %s', async (base, path) => {
    expect(await sent(base, {})).toMatchObject({ path });
  });

  it('reports a refused key to the operator, not to the client', async () => {
    const fakeServer = await startFakeServer();
    const provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: secrets.apiKey, settings: {} });
    fakeServer.reply(refusal(401, 'invalid_api_key'));
    const progress = await provider.submit(submissionOf(chat), new AbortController().signal);
    fakeServer.reply(refusal(401, secrets.apiKey));
    const echoed = await provider.submit(submissionOf(chat), new AbortController().signal);
    expect(JSON.stringify(echoed)).not.toContain(secrets.apiKey);
    provider.close();
    await fakeServer.close();
    expect(progress).toMatchObject({ alert: expect.stringContaining('401 invalid_api_key') });
    expect(JSON.stringify(progress)).not.toContain(secrets.apiKey);
  });
});
