import { expect, it } from '@jest/globals';
import { findAll } from './place.ts';

it('JSONPath runs patterns in linear time, and those that RE2 refuses match nothing', () => {
  const document = [{ url: 'a'.repeat(40) }, { url: `${'a'.repeat(100_000)}b` }, { url: 3 }];
  const found = (condition: string) => findAll(document, `$[?${condition}].url`).map(({ path }) => path[0]);
  expect(found("match(@.url, '(a+)+')")).toEqual([0]);
  expect(found("search(@.url, '(a+)+b')")).toEqual([1]);
  expect(found("match(@.url, '(?=a).*')")).toEqual([]);
});
