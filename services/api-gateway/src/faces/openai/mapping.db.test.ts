import { describe, expect, it } from '@jest/globals';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const schemaOf = (properties: object) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties,
});
const text = { type: 'string' };
const file = { type: 'string', format: 'file' };
const integer = { type: 'integer' };

const { post, run, gateway, key } = await faceGateway('openai', [
  {
    slug: 'drawer',
    input_schema: schemaOf({
      scene: text,
      shape: { enum: ['square', 'wide'] },
      image_size: { type: 'object' },
      start: file,
      mode: text,
    }),
    openai: {
      images: {
        prompt: 'scene',
        size: { width: '/image_size/width', height: '/image_size/height' },
        quality: { input: 'shape', values: { high: 'wide' } },
        image: 'start',
        set: { mode: 'fast' },
        output: '/result/final',
      },
    },
    output: { kind: 'raw' },
  },
  {
    slug: 'filmer',
    input_schema: schemaOf({ story: text, length: integer, aspect: { enum: ['16:9', '1:1', 'auto'] } }),
    openai: { videos: { prompt: 'story', seconds: 'length', size: { ratio: 'aspect' } } },
    output: { kind: 'videos' },
  },
  {
    slug: 'many',
    input_schema: schemaOf({
      said: { type: 'array' },
      ends: text,
      recording: file,
      words: text,
      docs: { type: 'array' },
    }),
    openai: {
      chat: { messages: 'said', stop: 'ends', output: { text: '/reply' } },
      transcriptions: { file: 'recording', output: { text: '/words', segments: '/parts' } },
      speech: { input: 'words', output: '/sound' },
      embeddings: { input: 'docs', output: '/vectors' },
    },
    output: { kind: 'raw' },
  },
]);

const png = Buffer.from('not much of a picture');
const dataUri = `data:image/png;base64,${png.toString('base64')}`;
const paint: TestOutput = async (store) => ({
  draft: { file_id: await store('draft.png', Buffer.from('draft'), 'image/png') },
  result: { final: [{ file_id: await store('a.png', png, 'image/png') }] },
});
const draw = (body: object) => post('/images/generations').send({ model: 'drawer', prompt: 'a', ...body });

describe('a model whose file maps an operation', () => {
  it('gets the fields where its file says, and is read where its file says', async () => {
    const { response, execution } = await run(draw({ size: '640x480', quality: 'high' }), paint);
    expect(execution.input).toEqual({
      scene: 'a',
      image_size: { width: 640, height: 480 },
      shape: 'wide',
      mode: 'fast',
    });
    expect(response.body.data).toEqual([{ b64_json: png.toString('base64') }]);
  });

  it('gets its own values and files, and is spared `auto`', async () => {
    const edit = { model: 'drawer', prompt: 'b', image: dataUri, size: 'auto', quality: 'square' };
    const { execution } = await run(post('/images/edits').send(edit), paint);
    expect(execution.input).toEqual({
      scene: 'b',
      shape: 'square',
      start: expect.stringMatching(/^file_/),
      mode: 'fast',
    });
  });

  it.each([
    ['a value that it does not have', { quality: 'low' }, 'quality', 'high, square, wide'],
    ['a size without sides', { size: 'large' }, 'size', '1024x1024'],
    ['more images than one', { n: 2 }, 'n', 'does not support `n`'],
  ])('refuses %s', async (_name, body, param, message) => {
    const { error } = (await draw(body).expect(400)).body;
    expect(error).toMatchObject({ param, code: 'unsupported_parameter' });
    expect(error.message).toContain(message);
  });

  it('takes names of other fields as fields, not as parts of its mapping', async () => {
    const odd = { set: { mode: 'x' }, output: 'y', constructor: 'z', ['__proto__']: 'a' };
    const { execution } = await run(draw({ ...odd, prompt: 'odd' }), paint);
    expect(execution.input).toEqual({ scene: 'odd', mode: 'fast' });
  });

  it('gets the nearest of its ratios', async () => {
    const body = { model: 'filmer', prompt: 'a', seconds: '8', size: '1280x720' };
    const { execution } = await run(post('/videos').send(body), async () => ({}));
    expect(execution.input).toEqual({ story: 'a', length: 8, aspect: '16:9' });
  });

  it('serves every operation that its file names', async () => {
    const model = 'many';
    const chat = await run(
      post('/chat/completions').send({
        model,
        messages: [{ role: 'user', content: 'hi' }],
        stop: ['.', '!'],
      }),
      async () => ({ reply: 'hello' }),
    );
    expect(chat.response.body.choices[0].message.content).toBe('hello');
    expect(chat.execution.input).toMatchObject({ ends: '.,!' });
    const response = await run(post('/responses').send({ model, input: 'hi' }), async () => ({
      reply: 'hey',
    }));
    expect(response.response.body.output[0].content[0].text).toBe('hey');
    const more = { model, input: 'and', previous_response_id: response.response.body.id };
    const second = await run(post('/responses').send(more), async () => ({ reply: 'so' }));
    expect(second.execution.input).toMatchObject({ said: [{ content: 'hi' }, { content: 'hey' }, {}] });
    const transcript = await run(
      post('/audio/transcriptions').field({ model, response_format: 'srt' }).attach('file', png, 'a.wav'),
      async () => ({ words: 'hi', parts: [{ start: 0, end: 1, text: 'hi' }] }),
    );
    expect(transcript.response.text).toContain('00:00:00,000 --> 00:00:01,000');
    const speech = await run(post('/audio/speech').send({ model, input: 'hi' }), async (store) => ({
      other: { file_id: await store('b.mp3', Buffer.from('other'), 'audio/mpeg') },
      sound: { file_id: await store('a.mp3', Buffer.from('sound'), 'audio/mpeg') },
    }));
    expect(String(speech.response.body)).toBe('sound');
    const embeddings = await run(post('/embeddings').send({ model, input: ['a'] }), async () => ({
      vectors: [[0.5]],
    }));
    expect(embeddings.response.body.data[0].embedding).toEqual([0.5]);
  });

  it('refuses operations that its file does not name, and says which it serves', async () => {
    const { error } = (await post('/videos').send({ model: 'drawer', prompt: 'a' }).expect(400)).body;
    expect(error).toMatchObject({ param: 'model', code: 'model_not_supported' });
    expect(error.message).toBe(
      'The model `drawer` does not serve videos. It serves images/generations, images/edits, images/variations.',
    );
    const { body } = await gateway.client(key).get('/v1/openai/models/drawer').expect(200);
    expect(body.endpoints).toEqual(['images/generations', 'images/edits', 'images/variations']);
  });
});
