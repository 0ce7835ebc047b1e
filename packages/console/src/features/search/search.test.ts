import { describe, expect, it } from '@jest/globals';
import { isBatchId, pageOfId, remainingOf, wishAfter } from './search.ts';

describe('wishAfter', () => {
  it.each([
    ['ArrowDown', null, 'move'],
    ['ArrowDown', 'open', 'open'],
    ['Enter', 'move', 'open'],
    ['Enter', null, null],
    ['a', 'open', null],
  ] as const)('turns %s after %s into %s', (key, before, after) => {
    expect(wishAfter(key, before)).toBe(after);
  });
});

const uuid = '01a2b3c4-0000-7000-8000-00000000000f';

describe('pageOfId', () => {
  it.each([
    [` exec_${uuid}\n`, '/executions/$id'],
    [`org_${uuid}`, '/organizations/$id'],
    [`wh_${uuid}`, '/webhooks/endpoints/$id'],
    [`dlv_${uuid}`, '/webhooks/deliveries/$id'],
  ])('knows the page of %j', (typed, to) => {
    expect(pageOfId(typed)).toEqual({ to, id: typed.trim() });
  });

  it.each(['', 'exec_01a2', uuid, `key_${uuid}`, `exec_${uuid} x`])('knows no page of %j', (typed) => {
    expect(pageOfId(typed)).toBeNull();
  });
});

it('a batch has an id of its own kind', () => {
  expect([`bat_${uuid} `, 'bat_01a2', `exec_${uuid}`].map(isBatchId)).toEqual([true, false, false]);
});

describe('remainingOf', () => {
  it.each([
    [['a', 'ab', 'abc'], 'ab', ['abc']],
    [['a', 'ab'], 'ab', []],
    [['a'], 'before', null],
    [[], 'before', null],
  ])('returns of %j at %s the searches still on their way', (sent, value, remaining) => {
    expect(remainingOf(sent, value)).toEqual(remaining);
  });
});
