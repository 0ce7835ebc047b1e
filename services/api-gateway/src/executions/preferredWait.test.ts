import { expect, it } from '@jest/globals';
import { preferredWaitS } from './preferredWait.ts';

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
  ['wait', 0],
  ['wait=soon', 0],
  ['waiting=10', 0],
  ['', 0],
  [undefined, 0],
])('Prefer: %s waits %d seconds', (header, seconds) => {
  expect(preferredWaitS(header)).toBe(seconds);
});
