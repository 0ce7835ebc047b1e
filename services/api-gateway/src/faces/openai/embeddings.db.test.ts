import { describe, expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const texts = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
const tokens = { type: 'array', items: { type: 'integer' } };
const schemaOf = (properties: object) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties,
});

const { post, run, count, gateway } = await faceGateway('openai', [
  { slug: 'embedder', input_schema: schemaOf({ input: texts }), output: { kind: 'raw' } },
  { slug: 'one', input_schema: schemaOf({ text: { type: 'string' } }), output: { kind: 'files' } },
  {
    slug: 'many',
    input_schema: schemaOf({
      texts: { type: 'array', items: { type: 'string' } },
      dimensions: { type: 'integer' },
    }),
    output: { kind: 'raw' },
  },
  { slug: 'tokens', input_schema: schemaOf({ input: { anyOf: [texts, tokens] } }), output: { kind: 'raw' } },
  { slug: 'writer', input_schema: schemaOf({ prompt: { type: 'string' } }), output: { kind: 'text' } },
]);

const vectors = { embeddings: [[0.5, -0.25]], dimensions: 2 };
const made = async () => vectors;
const usage = { inputTokens: 7 };

function embed(body: object) {
  return post('/embeddings').send({ model: 'embedder', input: 'a', ...body });
}

describe('embeddings', () => {
  it('are vectors, as lists or as base64 of 32-bit floats', async () => {
    const { response } = await run(embed({ user: 'x' }), made, usage);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
      model: 'embedder',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    const { response: encoded, execution } = await run(embed({ encoding_format: 'base64' }), made);
    const bytes = Buffer.from(encoded.body.data[0].embedding, 'base64');
    expect([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([8, 0.5, -0.25]);
    expect(execution.input).toEqual({ input: 'a' });
    expect(encoded.headers).toMatchObject({
      'holdfast-execution': execution.id,
      'holdfast-hold': '0.012',
      'holdfast-cost': '0.01',
    });
  });

  it.each([
    ['one', ['a'], { text: 'a' }],
    ['many', 'a', { texts: ['a'] }],
    ['many', ['a', 'b'], { texts: ['a', 'b'] }],
    ['embedder', ['a', 'b'], { input: ['a', 'b'] }],
    ['tokens', [1, 2], { input: [1, 2] }],
    ['tokens', [[1, 2]], { input: [1, 2] }],
  ])('of the model %s for %j are made of %j', async (model, input, expected) => {
    const { response, execution } = await run(embed({ model, input }), made);
    expect([response.status, execution.input]).toEqual([200, expected]);
  });

  it('are read from the file of a model that stores them', async () => {
    const { response } = await run(embed({ model: 'one' }), async (file) => {
      const id = await file('vectors.json', Buffer.from(JSON.stringify(vectors)), 'application/json');
      return { files: [{ file_id: id, format: 'json' }] };
    });
    expect(response.body.data).toEqual([{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }]);
    expect(gateway.context.responses.heldBytes()).toBe(0);
  });

  it('may be asked for by more than a megabyte of text', async () => {
    const input = Array.from({ length: 2000 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
    expect((await run(embed({ input }), made)).response.status).toBe(200);
    const { status, body } = await embed({ input: 'x'.repeat(5_000_000) });
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
  });

  it.each([
    ['tokens of a model that takes texts', { input: [1, 2] }, 'unsupported_input', 'input'],
    ['several texts of a model that takes one', { model: 'one', input: ['a', 'b'] }, 'invalid_type', 'text'],
    ['dimensions of a model that has one size', { dimensions: 8 }, 'unsupported_parameter', 'dimensions'],
    ['nothing', { input: [] }, 'invalid_value', 'input'],
    ['a mixed list', { input: ['a', 1] }, 'invalid_value', 'input'],
    ['an unknown encoding', { encoding_format: 'hex' }, 'invalid_value', 'encoding_format'],
    ['a model that writes text', { model: 'writer' }, 'model_not_supported', 'model'],
  ])('of %s are refused before anything is held', async (_what, body, code, param) => {
    const before = await count();
    const { status, body: refused } = await embed(body);
    expect([status, refused]).toEqual([
      400,
      { error: { message: expect.any(String), type: 'invalid_request_error', code, param } },
    ]);
    expect(await count()).toBe(before);
  });

  it('are an error when the model made none', async () => {
    const { response } = await run(embed({}), async () => ({ words: ['none'] }));
    expect([response.status, response.body.error.code]).toEqual([400, 'model_not_supported']);
    expect(response.headers['x-should-retry']).toBe('false');
  });
});
