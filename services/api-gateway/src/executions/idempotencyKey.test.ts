import { expect, it } from '@jest/globals';
import { requestHash } from './idempotencyKey.ts';

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
