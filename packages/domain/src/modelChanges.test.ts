import { expect, it } from '@jest/globals';
import { modelChanges } from './modelChanges.ts';

it.each([
  ['nothing in another order of names', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, []],
  [
    'fields that were added, removed and changed',
    { price: { per_run: '1', minimum: '2' }, gone: 1 },
    { price: { per_run: '3', minimum: '2' }, added: { deep: true } },
    [
      { field: 'price.per_run', from: '"1"', to: '"3"' },
      { field: 'added', from: null, to: '{"deep":true}' },
      { field: 'gone', from: '1', to: null },
    ],
  ],
  [
    'lists of mappings by item, other lists as a whole',
    { providers: [{ model: 'a' }], names: ['x'] },
    { providers: [{ model: 'b' }, { model: 'c' }], names: ['x', 'y'] },
    [
      { field: 'providers.0.model', from: '"a"', to: '"b"' },
      { field: 'providers.1', from: null, to: '{"model":"c"}' },
      { field: 'names', from: '["x"]', to: '["x","y"]' },
    ],
  ],
])('lists %s', (_title, before, after, expected) => {
  expect(modelChanges(before, after)).toEqual(expected);
});
