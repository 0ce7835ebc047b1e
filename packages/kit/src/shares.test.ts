import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createShares } from './shares.ts';

/** As many as it gets, one at a time. */
function takeAll(shares: ReturnType<typeof createShares>, organizationId: string): number {
  let taken = 0;
  for (; shares.roomOf(organizationId) > 0; taken++) shares.take(organizationId, 1);
  return taken;
}

describe('the amount of a process', () => {
  it('go half to a lone organization, and the rest to those that come later', () => {
    const shares = createShares(2000);
    expect(takeAll(shares, 'org_a')).toBe(1000);
    expect(takeAll(shares, 'org_b')).toBe(500);
    expect(takeAll(shares, 'org_c')).toBe(250);
    shares.give('org_a', 800);
    expect(shares.roomOf('org_c')).toBe(400);
    expect(shares.roomOf('org_a')).toBe(425);
  });

  it('go to a lone organization even if there is only one', () => {
    const shares = createShares(1);
    expect(takeAll(shares, 'org_a')).toBe(1);
    expect(shares.roomOf('org_b')).toBe(0);
    shares.give('org_a', 1);
    expect(shares.roomOf('org_b')).toBe(1);
  });

  it('never exceed their number, and an organization without a request does not make them full', () => {
    const orgs = ['org_a', 'org_b', 'org_c'];
    const steps = fc.array(fc.tuple(fc.constantFrom(...orgs), fc.boolean(), fc.nat(50)));
    const all = fc.property(fc.integer({ min: 1, max: 40 }), steps, (size, each) => {
      const shares = createShares(size);
      const taken = new Map<string, number>();
      const open = () => [...taken.values()].reduce((sum, amount) => sum + amount, 0);
      for (const [org, isTaking, count] of each) {
        const has = taken.get(org) ?? 0;
        const amount = Math.min(count, isTaking ? shares.roomOf(org) : has);
        if (isTaking) shares.take(org, amount);
        else shares.give(org, amount);
        taken.set(org, isTaking ? has + amount : has - amount);
        expect(open()).toBeLessThanOrEqual(size);
        if (open() < size) expect(shares.roomOf('org_new')).toBeGreaterThan(0);
      }
    });
    fc.assert(all);
  });

  it('report when the last of them is released', async () => {
    const shares = createShares(3);
    await shares.idle();
    shares.take('org_a', 2);
    shares.take('org_b', 1);
    const onIdle = jest.fn();
    const waiting = shares.idle().then(onIdle);
    shares.give('org_a', 2);
    await Promise.resolve();
    expect(onIdle).not.toHaveBeenCalled();
    shares.give('org_b', 1);
    await waiting;
  });
});
