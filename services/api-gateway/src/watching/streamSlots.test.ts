import { expect, it } from '@jest/globals';
import { openStreamSlots } from './streamSlots.ts';

const refusedWith = (code: string) => expect.objectContaining({ code });

it('an organization with many keys gets half of the event streams, and another still opens one', () => {
  const slots = openStreamSlots({ maxPerKey: 2, max: 8 });
  const releases = [1, 1, 2, 2].map((key) => slots.take('org_a', `key_${key}`));
  expect(() => slots.take('org_a', 'key_1')).toThrow('At most 2 event streams');
  expect(() => slots.take('org_a', 'key_3')).toThrow(refusedWith('RATE_LIMITED'));
  expect(() => slots.take('org_a', 'key_3')).toThrow('Too many of your event streams');
  slots.take('org_b', 'key_4');
  for (const release of releases) release();
  expect(slots.open()).toBe(1);
  slots.take('org_a', 'key_3');
});

it('a gateway whose event streams are all open refuses further ones of any organization', () => {
  const slots = openStreamSlots({ maxPerKey: 2, max: 2 });
  for (const name of ['a', 'b']) slots.take(`org_${name}`, `key_${name}`);
  expect(() => slots.take('org_c', 'key_c')).toThrow(refusedWith('SERVICE_UNAVAILABLE'));
});
