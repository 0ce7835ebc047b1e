import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { expect, it } from '@jest/globals';
import { validateInput } from './modelInput.ts';

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
      title: { type: 'string', minLength: 1, maxLength: 3 },
      colours: { type: 'array', minItems: 2, maxItems: 1 },
      width: { type: 'integer', minimum: 16 },
      strength: { type: 'number', multipleOf: 0.1 },
      seed: { type: ['integer', 'null'] },
      mask: { oneOf: [{ type: 'string' }, { minLength: 2 }] },
      cost: {
        anyOf: [
          { type: 'string', pattern: '^\\d+$' },
          { type: 'number', minimum: 0 },
        ],
      },
    },
  },
  price: { per_run: '0.01' },
  output: { kind: 'images' },
});

it('validation reports all problems at once, with what would be valid', () => {
  const input = { size: 'huge', style: 'ink', source: 'https://x.test/a.png', colour: 'red' };
  const { details } = validateInput(definition, input);
  expect(Object.fromEntries(details.map(({ field, message }) => [field, message]))).toEqual({
    'input.prompt': 'input.prompt is required.',
    'input.colour': 'input.colour is not a parameter of this model. Did you mean input.colours?',
    'input.size': 'input.size must be one of "small", "large".',
    'input.style': 'input.style must be "oil".',
    'input.source':
      'input.source must be the id of an uploaded file (file_…), which POST /v1/files/upload returns.',
  });
});

it.each([
  [{ prompt: 1 }, 'input.prompt must be a string.'],
  [{ title: '' }, 'input.title must not be empty.'],
  [{ title: 'long' }, 'input.title must have at most 3 characters.'],
  [{ colours: ['red'] }, 'input.colours must have at least 2 items.'],
  [{ colours: ['red', 'blue'] }, 'input.colours must have at most 1 item.'],
  [{ width: 15 }, 'input.width must be at least 16.'],
  [{ width: 16.5 }, 'input.width must be an integer.'],
  [{ strength: 0.35 }, 'input.strength must be a multiple of 0.1.'],
  [{ seed: 'x' }, 'input.seed must be an integer or null.'],
  [{ mask: 'ab' }, 'input.mask must match exactly one schema in oneOf.'],
  [{ cost: -1 }, 'input.cost must be a string or must be at least 0.'],
])('validation describes in words what is wrong with %j', (part, message) => {
  expect(validateInput(definition, { prompt: 'a', ...part }).details).toMatchObject([{ message }]);
});

it('validation refuses an input that takes too long to check', () => {
  const { details } = validateInput(definition, { prompt: 'a', cost: `${'1'.repeat(1_000_000)}a` });
  expect(details).toMatchObject([{ field: 'input', code: 'OUT_OF_RANGE' }]);
});

it('validation drops optional parameters that are null, and requires the others', () => {
  expect(validateInput(definition, { prompt: 'a', size: null, source: null })).toEqual({
    input: { prompt: 'a' },
    details: [],
  });
  expect(validateInput(definition, { prompt: null, colour: null }).details).toMatchObject([
    { field: 'input.prompt', code: 'REQUIRED' },
    { field: 'input.colour', code: 'UNKNOWN_FIELD' },
  ]);
});

it.each([0.1, 0.3, 0.7, 2.3, 123_456.7, -0.6, 0])(
  'validation accepts %d as a multiple of 0.1',
  (strength) => {
    expect(validateInput(definition, { prompt: 'a', strength }).details).toEqual([]);
  },
);

it('validation completes the input with the defaults of the schema, also in place of null', () => {
  const properties = { width: { type: 'integer', default: 512 }, prompt: { default: 'a cat' } };
  const schema = { type: 'object' as const, required: ['prompt'], properties };
  const given = { width: null };
  expect(validateInput({ ...definition, input_schema: schema }, given)).toEqual({
    input: { prompt: 'a cat', width: 512 },
    details: [],
  });
  expect(given).toEqual({ width: null });
});

it('validation keeps a null that the schema allows', () => {
  const nullable = { type: 'object' as const, properties: { seed: { type: ['integer', 'null'] } } };
  const input = { seed: null, other: null };
  expect(validateInput({ ...definition, input_schema: nullable }, input)).toEqual({ input, details: [] });
});
