import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parse } from 'yaml';
import { compileSchema } from './compile.ts';
import { newBudget } from './evaluation.ts';

const name = fc.constantFrom('a', 'b', 'c');
const membersOf = <One>(one: fc.Arbitrary<One>) => fc.dictionary(name, one, { noNullPrototype: true });
const small = fc.integer({ min: 0, max: 3 });
const scalar = fc.oneof(small, fc.constantFrom(null, true, 'a', 'ab', 'ba1', '😀', 0.5, 1.5));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    membersOf(tie('value')),
  ),
}));

const { schema } = fc.letrec<{ schema: object | boolean; part: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => Object.assign({}, ...parts)),
  ),
  part: fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'array', 'object', 'boolean', 'null') }),
    fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: value }),
    ...[
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minimum',
      'exclusiveMaximum',
    ].map((keyword) => fc.record({ [keyword]: small })),
    fc.record({ multipleOf: fc.constantFrom(0.5, 1, 2) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b+$', '^(a|b)*\\d?$') }),
    fc.record({ uniqueItems: fc.boolean() }),
    fc.record({ required: fc.uniqueArray(name) }),
    fc.record({ dependentRequired: membersOf(fc.uniqueArray(name)) }),
    fc.record({ contains: tie('schema'), minContains: small, maxContains: small }),
    fc.record({ prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ properties: membersOf(tie('schema')) }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), tie('schema')) }),
    ...['items', 'additionalProperties', 'propertyNames', 'not'].map((keyword) =>
      fc.record({ [keyword]: tie('schema') }),
    ),
    ...['allOf', 'anyOf', 'oneOf'].map((keyword) =>
      fc.record({ [keyword]: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    ),
    ...['then', 'else'].map((keyword) => fc.record({ if: tie('schema'), [keyword]: tie('schema') })),
    fc.record({ dependentSchemas: membersOf(tie('schema')) }),
    fc.constant({ $ref: '#/$defs/one' }),
  ),
}));

const root = fc
  .record({ one: schema, more: schema })
  .map(({ one, more }) => ({ allOf: [more], $defs: { one: withoutReferences(one) } }));

// Ajv counts what a failed branch judged, so it is not asked about `unevaluatedItems` and `unevaluatedProperties`, and records
// nothing for them: for some schemas its record throws. Without `allErrors` it skips what follows `prefixItems` for a short list.
it('agrees with Ajv on generated schemas and values', () => {
  fc.assert(
    fc.property(root, fc.array(value, { minLength: 5, maxLength: 10 }), (generated, values) => {
      const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true });
      ajv.opts.unevaluated = false;
      const expected = ajv.compile(generated);
      const validate = compileSchema(generated);
      for (const one of values) expect(validate(one).problems.length === 0).toBe(expected(one));
    }),
    { numRuns: 500 },
  );
});

it('reads no more of a value than its budget counts', () => {
  const models = resolve(import.meta.dirname, '../../../../models');
  const files = readdirSync(models).filter((file) => file.endsWith('.yaml'));
  const schemas = files.map((file) => parse(readFileSync(join(models, file), 'utf8')).input_schema as object);
  const generated = fc.sample(root, { numRuns: 500, seed: 17 });
  for (const one of [...schemas, ...generated]) {
    const validate = compileSchema(one);
    for (const large of largeValues) {
      const budget = newBudget();
      const { steps } = budget;
      const counter = { reads: 0 };
      validate(counted(large, counter), budget);
      expect(counter.reads).toBeLessThan(3 * (steps - budget.steps) + 100);
    }
  }
});

const many = Array.from({ length: 500 }, (_, index) => index);
const largeValues = [
  Object.fromEntries(many.map((index) => [`a${index}`, index])),
  { a: many, b: many.map((index) => ({ a: index })), prompt: many.map(String) },
  many.map((index) => (index % 2 === 0 ? [index] : { b: 'ab' })),
  many.slice(0, 50).reduce<unknown>((inner) => ({ a: inner, b: [inner] }), 'ab'),
];

/** Counts each look at a property and each listing of keys. */
function counted(of: unknown, counter: { reads: number }): unknown {
  if (of === null || typeof of !== 'object') return of;
  return new Proxy(of, {
    get(target, property) {
      counter.reads += 1;
      return counted(Reflect.get(target, property), counter);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      counter.reads += keys.length;
      return keys;
    },
  });
}

/** A definition that only refers to itself has no end. */
function withoutReferences(of: unknown): unknown {
  return JSON.parse(JSON.stringify(of), (key, one) => (key === '$ref' ? undefined : one));
}
