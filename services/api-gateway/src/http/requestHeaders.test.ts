import { expect, it } from '@jest/globals';
import { preferredWaitS, requestHash } from './requestHeaders.ts';

it('equal bodies have one hash, however they are formatted', () => {
  const spelled = ['{"a":1,"b":{"c":[1,2],"d":"\\u00e9"}}', '{ "b": {"d":"é","c":[1.0,2]}, "a":1e0 }'];
  expect(new Set(spelled.map((text) => requestHash(JSON.parse(text)))).size).toBe(1);
});

it('different bodies have different hashes', () => {
  const bodies = [
    '{}',
    '[]',
    '{"a":null}',
    '{"a":"1"}',
    '{"a":1}',
    '{"a":[1,2]}',
    '{"a":[2,1]}',
    '{"__proto__":1}',
  ];
  expect(new Set(bodies.map((text) => requestHash(JSON.parse(text)))).size).toBe(bodies.length);
});

it.each([
  ['wait=10', 10],
  ['WAIT = "10"', 10],
  ['respond-async, wait=10', 10],
  ['handling=lenient; x="a, wait=9", wait=10; extra', 10],
  ['wait=5, wait=50', 5],
  ['wait=600', 60],
  ['wait=999999999999999999', 0],
  ['wait=-1', 0],
  ['wait=1.5', 0],
  ['wait', 60],
  ['Wait; extra', 60],
  ['wait=soon', 0],
  ['waiting=10', 0],
  ['', 0],
  [undefined, 0],
])('Prefer: %s waits %d seconds', (header, seconds) => {
  expect(preferredWaitS(header)).toBe(seconds);
});
