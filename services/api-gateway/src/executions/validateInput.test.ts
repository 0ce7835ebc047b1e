import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { expect, it } from '@jest/globals';
import { validateInput } from './validateInput.ts';

const definition = modelDefinition.parse({
  slug: 'painter',
  provider: { adapter: 'cog', connection: 'gpu', model: 'painter' },
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['prompt'],
    properties: {
      prompt: { type: 'string' },
      size: { enum: ['small', 'large'] },
      style: { const: 'oil' },
      source: { type: 'string', format: 'file' },
    },
  },
  price: { per_run: '0.01' },
  output: { kind: 'images' },
});

it('tells everything that is wrong at once, and what would be right', () => {
  const input = { size: 'huge', style: 'ink', source: 'https://x.test/a.png', colour: 'red' };
  const details = validateInput(definition, input);
  expect(Object.fromEntries(details.map(({ field, message }) => [field, message]))).toEqual({
    'input.prompt': 'input.prompt is required',
    'input.colour': 'input.colour is not a parameter of this model',
    'input.size': 'input.size must be one of "small", "large"',
    'input.style': 'input.style must be "oil"',
    'input.source':
      'input.source must be the id of an uploaded file, file_…: POST /v1/files/upload gives one',
  });
});
