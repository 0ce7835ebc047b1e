import { expect, it } from '@jest/globals';
import { openIdSet } from './receiver.ts';

it('an id set contains the ids that were added, and counts repeats', () => {
  const ids = openIdSet();
  const id = 'evt_019a6f3e-5d0b-7c11-9a3e-2f4b5c6d7e8f';
  expect([ids.add(id), ids.add(id)]).toEqual([true, false]);
  expect(ids.has(id)).toBe(true);
  expect(ids.has(id.replace('8f', '80'))).toBe(false);
  expect([ids.size(), ids.repeats()]).toEqual([1, 1]);
});
