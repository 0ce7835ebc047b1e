import { describe, expect, it } from '@jest/globals';
import { compileSchema } from './compile.ts';
import { newBudget } from './evaluation.ts';
import { describeProblem } from './problem.ts';

const problemsOf = (schema: object, value: unknown) =>
  compileSchema(schema)(value).problems.map((problem) => [problem.path.join('.'), describeProblem(problem)]);

const tree = { $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } } };

describe('compileSchema', () => {
  it.each([
    [{ type: ['integer', 'null'] }, 1.5, 'must be an integer or null'],
    [{ type: 'string', nullable: true }, 1, 'must be a string or null'],
    [{ enum: [1, { a: [2] }] }, { a: [3] }, 'must be one of 1, {"a":[2]}'],
    [{ multipleOf: 0.1 }, 0.35, 'must be a multiple of 0.1'],
    [{ maximum: 10n ** 19n }, 10n ** 19n + 1n, 'must be at most 10000000000000000000'],
    [{ multipleOf: 2 }, 2n ** 64n + 1n, 'must be a multiple of 2'],
    [{ minLength: 2 }, '😀', 'must have at least 2 characters'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'must not have the same item twice',
    ],
    [{ contains: { type: 'string' } }, [1, 2], 'must have at least 1 item of the required kind'],
    [{ prefixItems: [true], contains: {} }, [], 'must have at least 1 item of the required kind'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 property'],
    [{ propertyNames: { pattern: '^a' } }, { b: 1 }, 'must not have a property with the name "b"'],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, 'must have the property "b"'],
    [{ not: { type: 'string' } }, 'a', 'must not match the schema in "not"'],
    [{ if: { type: 'number' }, else: { minLength: 2 } }, 'a', 'must have at least 2 characters'],
    [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 2, 'must be a string or must be at least 3'],
    [{ oneOf: [true, true] }, 2, 'must match exactly one schema in oneOf'],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 1, 'must be a string'],
    [{ $ref: '#b', $defs: { a: { $anchor: 'b', type: 'string' } } }, 1, 'must be a string'],
  ])('finds with %j what %p breaks', (schema, value, message) => {
    expect(problemsOf(schema, value)).toEqual([['', message]]);
  });

  it('judges what other keywords did not, by those that apply', () => {
    const schema = {
      anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: true } }],
      unevaluatedProperties: false,
    };
    expect(problemsOf(schema, { a: 'x', b: 1 })).toEqual([]);
    expect(problemsOf(schema, { a: 1, b: 1 })).toEqual([['', 'must not have the property "a"']]);
  });

  it('does not look further at a value of a wrong type or above its maximum', () => {
    const schema = { properties: { a: { type: 'string', maxLength: 3, pattern: '^b', enum: ['b'] } } };
    expect(problemsOf(schema, { a: 'aaaa' })).toEqual([['a', 'must have at most 3 characters']]);
    expect(problemsOf(schema, { a: 1 })).toEqual([['a', 'must be a string']]);
  });

  it('reports everything that it cannot evaluate, with what to write instead', () => {
    const schema = {
      properties: {
        a: { pattern: '^(?!x)a' },
        b: { pattern: '(a)\\1' },
        c: { $ref: 'https://example.com/other' },
        d: { patternProperties: { '(a{1000}){10}': true } },
      },
    };
    expect(() => compileSchema(schema)).toThrow(/lookaround.*backreference.*not in this schema.*RE2/);
  });

  it('counts the nulls apart: there may be any number of them', () => {
    const { problems } = compileSchema({ items: { type: 'string' } })([
      ...Array(300).fill(null),
      ...Array(300).fill(1),
    ]);
    expect(problems).toHaveLength(500);
  });
});

describe('the budget of an evaluation', () => {
  const long = 1_000_000;
  const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, index]));
  const nested = Array.from({ length: 62 }).reduce<object>((inner) => ({ left: inner }), {});
  const twice = {
    anyOf: [{ required: ['x'] }, { required: ['y'] }].map((one) => ({
      ...one,
      properties: { left: { $ref: '#/$defs/twice' } },
    })),
  };

  it.each([
    ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(long)}b`],
    ['a pattern with many states', { pattern: '^[ab]*a[ab]{300}c$' }, 'ab'.repeat(long / 2)],
    ['alternatives of alternatives', { $defs: { twice }, $ref: '#/$defs/twice' }, nested],
    ['a schema that only refers to itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, 1],
    [
      'long lists of choices',
      { items: { enum: Array.from({ length: 500 }, (_, index) => index) } },
      Array(long / 2).fill(499),
    ],
    [
      'lists of lists of different items',
      uniqueAtEachDepth(60),
      [Array.from({ length: 80_000 }, (_, index) => index)],
    ],
  ])('ends %s', (_what, schema, value) => {
    expect(compileSchema(schema)(value).isWithinBudget).toBe(false);
  });

  it.each([
    ['half a million numbers', { items: { type: 'number' } }, Array(520_000).fill(1)],
    ['half a million wrong values', { items: { type: 'string' } }, Array(520_000).fill(1)],
    ['unknown names', { additionalProperties: false }, names],
    [
      'thirty thousand different objects',
      { uniqueItems: true },
      Array.from({ length: 30_000 }, (_, id) => ({ id, of: [id] })),
    ],
    [
      'a long text above its maximum',
      { maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' },
      'a.'.repeat(long / 2),
    ],
    ['a deep tree', { ...tree, $ref: '#/$defs/tree' }, nested],
  ])('is enough for %s', (_what, schema, value) => {
    expect(compileSchema(schema)(value).isWithinBudget).toBe(true);
  });

  it('is shared by evaluations of the same value', () => {
    const budget = newBudget();
    const validate = compileSchema({ items: { type: 'number' } });
    const list = Array(400_000).fill(1);
    expect(validate(list, budget).isWithinBudget).toBe(true);
    expect(validate(list, budget).isWithinBudget).toBe(true);
    expect(validate(list, budget).isWithinBudget).toBe(false);
  });

  function uniqueAtEachDepth(depth: number): object {
    return depth === 0
      ? {}
      : {
          allOf: [
            { uniqueItems: true },
            { uniqueItems: true, items: uniqueAtEachDepth(depth - 1) },
            { uniqueItems: true },
          ],
        };
  }
});
