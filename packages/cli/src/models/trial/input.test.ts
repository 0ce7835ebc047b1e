import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { matchesDeclaredType } from '@holdfast/files/detection';
import { inputProblem } from '@holdfast/providers/catalogue/inputSchema';
import { describe, expect, it } from '@jest/globals';
import { exampleInput, testInput } from './input.ts';
import { testSubmission } from './submission.ts';

const model = (as: string, example: object) =>
  modelDefinition.parse({
    slug: 'm',
    provider: {
      adapter: 'openai',
      connection: 'c',
      model: 'm',
      input: { rename: { pictures: 'image' }, set: { n: 1 } },
      files: { as },
    },
    input_schema: {
      type: 'object',
      properties: {
        pictures: { type: 'array', items: { type: 'string', format: 'file' } },
        audio: { type: 'string', format: 'file' },
      },
      examples: [example],
    },
    price: { per_run: '1' },
    output: { kind: 'raw' },
  });

function submissionOf(as: string, example: object) {
  const definition = model(as, example);
  const [route] = definition.providers;
  if (route === undefined) throw new Error('no route');
  return testSubmission(definition, route, testInput(definition, undefined), 1000);
}

describe('the files of an example', () => {
  it('are sample images, or sample audio if the id says so', async () => {
    const { files } = testInput(
      model('url', { pictures: ['file_sample'], audio: 'file_sample-audio' }),
      undefined,
    );
    expect([...files.values()].map(({ contentType }) => contentType)).toEqual(['image/png', 'audio/wav']);
    for (const { bytes, contentType } of files.values()) {
      expect(await matchesDeclaredType(bytes, contentType)).toBe(true);
    }
  });

  it('are sent as data URIs under the names of the route', () => {
    const { input, parts } = submissionOf('url', { pictures: ['file_sample'] });
    expect(input).toEqual({ n: 1, image: [expect.stringMatching(/^data:image\/png;base64,/)] });
    expect(parts).toEqual([]);
  });

  it('are sent as parts of a form if the route says so', async () => {
    const { input, parts } = submissionOf('multipart', { pictures: ['file_a', 'file_b'] });
    expect(input).toEqual({ n: 1, image: ['file_a', 'file_b'] });
    expect(parts.map(({ path, filename }) => [path, filename])).toEqual([
      [['image', 0], 'sample.png'],
      [['image', 1], 'sample.png'],
    ]);
    const read = (await parts[0]?.open()) ?? [];
    let length = 0;
    for await (const chunk of read) length += (chunk as Buffer).length;
    expect(length).toBe(parts[0]?.sizeBytes);
  });
});

it('the input of a trial is the first example of the model', () => {
  expect(exampleInput({ type: 'object', examples: [{ prompt: 'a' }, { prompt: 'b' }] })).toEqual({
    prompt: 'a',
  });
});

it('the input of a trial without examples consists of the defaults and the required properties, and is valid', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['prompt', 'picture', 'sizes', 'kind', 'seed', 'extra', 'scale'],
    properties: {
      prompt: { type: 'string', minLength: 30 },
      picture: { type: 'string', format: 'file' },
      sizes: { type: 'array', minItems: 2, items: { type: 'integer', minimum: 7.5 } },
      kind: { enum: ['b', 'a'] },
      seed: { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'string' }] },
      extra: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
      scale: { type: 'number', minimum: 0.5 },
      steps: { type: 'integer', default: 20 },
      unneeded: { type: 'string' },
    },
  };
  const input = exampleInput(schema);
  expect(inputProblem(schema, input)).toBeNull();
  expect(input).toMatchObject({
    sizes: [8, 8],
    kind: 'b',
    seed: 3,
    extra: { on: false },
    scale: 0.5,
    steps: 20,
  });
  expect(input).not.toHaveProperty('unneeded');
});
