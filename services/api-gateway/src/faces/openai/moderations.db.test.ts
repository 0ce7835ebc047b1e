import { describe, expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const schemaOf = (input: object, name = 'input') => ({
  type: 'object' as const,
  additionalProperties: false,
  properties: { [name]: input },
});

const { post, run, count } = await faceGateway('openai', [
  {
    slug: 'moderator',
    aliases: ['omni-moderation-latest'],
    input_schema: schemaOf({ anyOf: [text, texts, { type: 'array', items: { type: 'object' } }] }),
    output: { kind: 'raw' },
  },
  { slug: 'one', input_schema: schemaOf(text, 'text'), output: { kind: 'raw' }, openai: { moderations: {} } },
  {
    slug: 'scores',
    input_schema: schemaOf(texts, 'texts'),
    output: { kind: 'raw' },
    openai: { moderations: { input: 'texts', output: '/found' } },
  },
  { slug: 'writer', input_schema: schemaOf(text, 'prompt'), output: { kind: 'text' } },
]);

const result = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } };
const moderate = (body: object) => post('/moderations').send({ input: 'a', ...body });
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('a moderation', () => {
  it('is a run of omni-moderation-latest unless the request names a model', async () => {
    const { response, execution } = await run(moderate({}), async () => ({ results: [result] }));
    expect([response.status, execution.model, execution.input]).toEqual([200, 'moderator', { input: 'a' }]);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^modr-/),
      model: 'omni-moderation-latest',
      results: [result],
    });
    expect(response.headers).toMatchObject({ 'holdfast-execution': execution.id, 'holdfast-cost': '0.01' });
  });

  it.each([
    ['moderator', ['a', 'b'], { input: ['a', 'b'] }, { results: [result, result] }, 2],
    ['one', ['a'], { text: 'a' }, result, 1],
    ['scores', 'a', { texts: ['a'] }, { found: [{ flagged: false }] }, 1],
  ])('by the model %s of %j is made of %j', async (model, input, expected, output, results) => {
    const { response, execution } = await run(moderate({ model, input }), async () => output);
    expect([response.status, execution.input]).toEqual([200, expected]);
    expect(response.body.results).toHaveLength(results);
    expect(response.body.results[0]).toMatchObject({ categories: {}, category_scores: {} });
  });

  it('of images has them as files', async () => {
    const said = { type: 'text', text: 'what is it' };
    const input = [said, { type: 'image_url', image_url: { url: png } }];
    const { execution } = await run(moderate({ input }), async () => ({ results: [result] }));
    const url = expect.stringMatching(/^file_/);
    expect(execution.input).toEqual({ input: [said, { type: 'image_url', image_url: { url } }] });
  });

  it.each([
    ['nothing', { input: [] }, 400, 'input'],
    ['a mixed list', { input: ['a', { type: 'text', text: 'b' }] }, 400, 'input'],
    ['a part that is neither text nor image', { input: [{ type: 'audio' }] }, 400, 'input'],
    ['several texts, by a model that takes one', { model: 'one', input: ['a', 'b'] }, 400, 'text'],
    ['a model that writes text', { model: 'writer' }, 400, 'model'],
    ['a model that is not there', { model: 'none' }, 404, 'model'],
  ])('of %s is refused before anything is held', async (_what, more, status, param) => {
    const before = await count();
    const refused = await moderate(more);
    expect([refused.status, refused.body.error.param?.replace(/\W.*/, '')]).toEqual([status, param]);
    expect(await count()).toBe(before);
  });

  it('is an error when the model made none', async () => {
    const { response } = await run(moderate({}), async () => ({ results: [{ flagged: 'no' }] }));
    expect([response.status, response.body.error.code]).toEqual([400, 'model_not_supported']);
  });
});
