import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { modelProblems } from './modelRules.ts';

const properties = {
  quality: { enum: ['low', 'high'] },
  size: { type: 'string', enum: ['small', 'large'], default: 'small' },
  audio: { type: 'boolean', default: false },
  steps: { type: 'integer', default: 28 },
  style: { enum: ['plain', null] },
};

function problemsOf(
  table: object[],
  required: readonly string[] = ['quality'],
  ofInput: object = properties,
): string[] {
  const definition = modelDefinition.parse({
    slug: 'm',
    provider: { adapter: 'cog', connection: 'gpu', model: 'm' },
    input_schema: { type: 'object', properties: ofInput, required },
    price: { per_run: table },
    output: { kind: 'text' },
  });
  return modelProblems(definition).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const row = (when: object) => ({ when, price: '1' });

describe('a table of prices', () => {
  it.each([
    [[row({ quality: 'low' }), row({ quality: 'high' })]],
    [[row({ size: 'small' }), row({ size: 'large' })]],
    [[row({ audio: true, size: 'small' }), row({ audio: false }), row({ size: 'large' })]],
    [[row({ steps: 4 }), row({})]],
    [[row({ quality: 'low', size: 'small' }), row({ quality: 'low' }), row({ quality: 'high' })]],
  ])('that has a row for every input is accepted: %j', (table) => {
    expect(problemsOf(table)).toEqual([]);
  });

  it.each<[string, object[], string]>([
    [
      'a combination',
      [row({ quality: 'low' }), row({ quality: 'high', size: 'small' })],
      'price.per_run: has no row for quality "high", size "large": add a row, or a last row without `when`',
    ],
    ['a boolean', [row({ audio: true })], 'price.per_run: has no row for audio false'],
    ['a number', [row({ steps: 4 })], 'price.per_run: has no row for no steps, or another one'],
    ['null', [row({ style: 'plain' })], 'price.per_run: has no row for no style, or another one'],
  ])('without a row for %s is refused', (_what, table, message) => {
    expect(problemsOf(table)).toEqual([expect.stringContaining(message)]);
  });

  it.each<[unknown, object, string]>([
    ['28', { steps: 28 }, 'is "28", which steps never is: it must be an integer'],
    [2.5, { steps: 28 }, 'is 2.5, which steps never is: it must be an integer'],
    [true, { style: 'plain' }, 'is true, which style never is: it must be one of "plain", null'],
    [60, { of: 1 }, 'is 60, which of never is: it must be at most 50'],
  ])('is refused with %j, which the property can never be', (value, instead, message) => {
    const name = Object.keys(instead)[0] ?? '';
    const ofInput = { ...properties, of: { $ref: '#/properties/limited' }, limited: { maximum: 50 } };
    const table = (one: object) => problemsOf([row(one), row({})], [], ofInput);
    expect(table({ [name]: value })).toEqual([`price.per_run.0.when.${name}: ${message}`]);
    expect(table(instead)).toEqual([]);
  });

  it('needs a row for an input that may be absent', () => {
    const table = [row({ quality: 'low' }), row({ quality: 'high' })];
    expect(problemsOf(table, [])).toEqual([expect.stringContaining('has no row for no quality')]);
  });

  it('is refused with values that the input never has, rows that are never used, and unknown inputs', () => {
    expect(problemsOf([row({ quality: 'medium' }), row({})])).toEqual([
      'price.per_run.0.when.quality: is "medium", which quality never is: it is "low", "high"',
    ]);
    expect(problemsOf([row({ quality: 'low' }), row({ quality: 'low', size: 'large' }), row({})])).toEqual([
      'price.per_run.1: is never used: row 0 applies to the same inputs',
    ]);
    expect(problemsOf([row({ qualty: 'low' }), row({})])).toEqual([
      expect.stringContaining('"qualty" is not a property of the input_schema; is "quality" meant?'),
    ]);
  });

  const names = ['a', 'b', 'c'] as const;
  const kinds = {
    two: { schema: { enum: ['x', 'y'] }, values: ['x', 'y'] },
    preset: { schema: { enum: [1, 2], default: 1 }, values: [1, 2] },
    flag: { schema: { type: 'boolean', default: false }, values: [true, false] },
    text: { schema: { type: 'string' }, values: ['x', 'another'] },
  };
  const kind = fc.constantFrom(...Object.values(kinds));
  const schema = fc.record({ a: kind, b: kind, c: kind, required: fc.subarray([...names]) });
  const table = fc.array(
    fc.dictionary(fc.constantFrom(...names), fc.constantFrom('x', 'y', 1, 2, true, false), {
      noNullPrototype: true,
    }),
    { minLength: 1, maxLength: 8 },
  );

  it('is accepted exactly if it has a row for every input, and no row that is never used or needed', () => {
    fc.assert(
      fc.property(schema, table, ({ required, ...of }, whens) => {
        const ofInput = Object.fromEntries(names.map((name) => [name, of[name].schema]));
        const problems = problemsOf(whens.map(row), required, ofInput);
        const inputs = names.reduce<Record<string, unknown>[]>(
          (all, name) => {
            const isGiven = required.includes(name) || 'default' in of[name].schema;
            const values = [...of[name].values, ...(isGiven ? [] : [undefined])];
            return all.flatMap((input) => values.map((value) => ({ ...input, [name]: value })));
          },
          [{}],
        );
        const fits = (when: object, input: Record<string, unknown>) =>
          Object.entries(when).every(([name, value]) => input[name] === value);
        const isTotal = inputs.every((input) => whens.some((when) => fits(when, input)));
        if (problems.length === 0) expect(isTotal).toBe(true);
        if (problems.some((problem) => problem.includes('has no row for'))) expect(isTotal).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
