import { inputProblem } from '@holdfast/providers/catalogue/problems';
import { expect, it } from '@jest/globals';
import { exampleInput } from './exampleInput.ts';

it('is the first example', () => {
  expect(exampleInput({ type: 'object', examples: [{ prompt: 'a' }, { prompt: 'b' }] })).toEqual({
    prompt: 'a',
  });
});

it('else is made of defaults and of what must be given, and is an input of the model', () => {
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
