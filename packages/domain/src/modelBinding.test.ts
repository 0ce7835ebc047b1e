import { expect, it } from '@jest/globals';
import { boundDefinition } from './modelBinding.ts';
import type { ModelDefinition } from './modelDefinition.ts';

const version = (name: string, more: object = {}) =>
  ({
    price: { per_run: name },
    output: { kind: 'raw', pointer: name },
    providers: [{ connection: name }],
    ...more,
  }) as unknown as ModelDefinition;

it('an attempt is priced as when its execution was created, read as when it was started, and retried as the model is now', () => {
  const versions = { created: version('a', { usage: {} }), started: version('b'), current: version('c') };
  expect(boundDefinition(versions)).toEqual({
    price: { per_run: 'a' },
    output: { kind: 'raw', pointer: 'b' },
    providers: [{ connection: 'c' }],
  });
});

it('the definition of a model that has not changed is the same object, for which results are cached', () => {
  const current = version('a');
  expect(boundDefinition({ created: current, started: current, current })).toBe(current);
});
