import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { LaneOf } from './lanes.ts';
import { openLaneWorld, settled } from './testing/laneWorld.ts';

const endpoint = (name: string, organizationId = 'org_a', maxInFlight = 8): LaneOf => ({
  lane: `wh_${name}`,
  organizationId,
  maxInFlight,
});
type World = ReturnType<typeof openLaneWorld>;

/** Answers whatever is asked, until nothing is. */
async function playOut(world: World): Promise<void> {
  while (world.claims.size + world.requests.size > 0) {
    for (const { end } of world.requests) end();
    await world.giveAll();
  }
}

function expectOver(world: World): void {
  expect(world.all().filter(({ pending }) => pending > 0)).toEqual([]);
  expect(world.lanes.inUse()).toBe(0);
}

describe('a lane', () => {
  it('has at most so many requests open as its endpoint takes, and goes on when one is answered', async () => {
    const world = openLaneWorld({ size: 100 });
    world.write(endpoint('1', 'org_a', 3), 10);
    await world.giveAll();
    expect(world.openIn('wh_1')).toBe(3);
    const [request] = world.requests;
    request?.end();
    await world.giveAll();
    expect([world.tally.sent, world.openIn('wh_1')]).toEqual([4, 3]);
    await playOut(world);
    expect(world.tally.sent).toBe(10);
    expectOver(world);
  });

  it('has room as soon as its receiver has answered; the process once that is written down', async () => {
    const world = openLaneWorld({ size: 3 });
    world.write(endpoint('1', 'org_a', 1), 3);
    await world.giveAll();
    const [first] = world.requests;
    first?.accept();
    await world.giveAll();
    expect([world.openIn('wh_1'), world.requests.size]).toEqual([1, 2]);
    const [, second] = world.requests;
    second?.accept();
    await world.giveAll();
    expect(world.openIn('wh_1')).toBe(0);
    await playOut(world);
    expect(world.tally.sent).toBe(3);
    expectOver(world);
  });

  it('is divided by the number of senders, of whom each has one place at least', async () => {
    let senders = 3;
    const world = openLaneWorld({ size: 100, senders: () => senders });
    world.write(endpoint('1', 'org_a', 8), 50);
    world.write(endpoint('2', 'org_a', 2), 50);
    await world.giveAll();
    expect([world.openIn('wh_1'), world.openIn('wh_2')]).toEqual([2, 1]);
    senders = 1;
    world.lanes.wake(endpoint('1', 'org_a', 8));
    await world.giveAll();
    expect(world.openIn('wh_1')).toBe(8);
    await playOut(world);
    expectOver(world);
  });

  it('learns from a claim how much its endpoint takes', async () => {
    const world = openLaneWorld({ size: 100 });
    world.write(endpoint('1', 'org_a', 20), 50);
    for (const claim of world.claims) claim.give({ maxInFlight: 20 });
    await world.giveAll();
    expect(world.openIn('wh_1')).toBe(20);
    await playOut(world);
    expectOver(world);
  });

  it('that something waits in gives no place to what comes later', async () => {
    const world = openLaneWorld({ size: 100 });
    world.write(endpoint('1', 'org_a', 2), 3);
    await world.giveAll();
    const [request] = world.requests;
    request?.end();
    await settled();
    expect(world.fanOut(endpoint('1', 'org_a', 2))).toBe(false);
    await playOut(world);
    expect(world.tally.sent).toBe(4);
    expectOver(world);
  });

  it('gives back the places that fan-out took and did not use', async () => {
    const world = openLaneWorld({ size: 100 });
    const lane = endpoint('1', 'org_a', 2);
    expect([world.lanes.take(lane), world.lanes.take(lane), world.lanes.take(lane)]).toEqual([
      true,
      true,
      false,
    ]);
    world.lanes.give('wh_1');
    expect(world.lanes.take(lane)).toBe(true);
    world.lanes.give('wh_1', 2);
    expect(world.lanes.inUse()).toBe(0);
    await world.lanes.idle();
  });

  it('that is woken while it claims claims again', async () => {
    const world = openLaneWorld({ size: 100 });
    world.write(endpoint('1'), 0);
    const [claim] = world.claims;
    // The claim has read the database already.
    claim?.give();
    world.write(endpoint('1'), 1);
    await world.giveAll();
    expect(world.tally.sent).toBe(1);
    await playOut(world);
    expectOver(world);
  });

  it('takes nothing while it is paused, however often it is woken, and goes on by itself then', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const world = openLaneWorld({ size: 100 });
    world.write(endpoint('1', 'org_a', 2), 3);
    for (const claim of world.claims) claim.give({ waitMs: 200 });
    await settled();
    for (const { end } of world.requests) end();
    await settled();
    world.lanes.wake(endpoint('1'));
    expect(world.claims.size).toBe(0);
    jest.advanceTimersByTime(200);
    jest.useRealTimers();
    expect(world.claims.size).toBe(1);
    await playOut(world);
    expect(world.tally.sent).toBe(3);
    expectOver(world);
  });

  it('of a failing endpoint is left alone after its probe, until one succeeds', async () => {
    const world = openLaneWorld({ size: 100 });
    const probe = async (isDelivered: boolean) => {
      for (const claim of world.claims) claim.give({}, true);
      await settled();
      expect([world.requests.size, world.claims.size]).toEqual([1, 0]);
      for (const { end } of world.requests) end(isDelivered);
      await settled();
    };
    world.write(endpoint('1'), 5);
    await probe(false);
    expect([world.claims.size, world.lanes.inUse()]).toEqual([0, 0]);
    world.lanes.wake(endpoint('1'));
    await probe(true);
    await playOut(world);
    expect(world.tally.sent).toBe(5);
    expectOver(world);
  });

  it('that could not be claimed is given up until somebody wakes it', async () => {
    const world = openLaneWorld({ size: 2 });
    world.write(endpoint('1'), 1);
    for (const claim of world.claims) claim.fail();
    await settled();
    expect([world.claims.size, world.lanes.inUse()]).toEqual([0, 0]);
    world.write(endpoint('1'), 0);
    await playOut(world);
    expect(world.tally.sent).toBe(1);
    expectOver(world);
  });
});

describe('the lanes of a process', () => {
  it('leave places to an organization that comes later, whatever another has waiting', async () => {
    const world = openLaneWorld({ size: 20 });
    for (let n = 0; n < 100; n++) world.fanOut(endpoint(`hangs_${n}`, 'org_a'));
    await world.giveAll();
    expect(world.requests.size).toBe(10);
    expect(world.fanOut(endpoint('later', 'org_b'))).toBe(true);
    await playOut(world);
    expect(world.tally.sent).toBe(101);
    expectOver(world);
  });

  it('let organizations that wait in by turns', async () => {
    const world = openLaneWorld({ size: 4 });
    const orgs = ['org_a', 'org_b', 'org_c'];
    for (const org of orgs) world.write(endpoint(org, org, 1), 30);
    const sent: string[] = [];
    while (sent.length < 60) {
      await world.giveAll();
      const [request] = world.requests;
      sent.push(request?.delivery.organizationId ?? '');
      request?.end();
    }
    const counts = orgs.map((org) => sent.filter((one) => one === org).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    await playOut(world);
    expectOver(world);
  });

  it('let lanes of one organization in by turns: one that never runs dry does not keep its places', async () => {
    const world = openLaneWorld({ size: 8 });
    world.write(endpoint('flood', 'org_a', 4), 1000);
    await world.giveAll();
    expect(world.requests.size).toBe(4);
    world.write(endpoint('quiet', 'org_a', 4), 1);
    const [request] = world.requests;
    request?.end();
    await world.giveAll();
    expect([...world.requests].filter(({ delivery }) => delivery.lane === 'wh_quiet')).toHaveLength(1);
    await playOut(world);
    expectOver(world);
  });

  it('that are all taken are not looked for by everybody who waits, whenever one more does', async () => {
    const world = openLaneWorld({ size: 10 });
    const receiver = (n: number) => endpoint(`${n}`, `org_${n}`);
    for (let n = 0; n < 10; n++) expect(world.fanOut(receiver(n))).toBe(true);
    const before = process.cpuUsage();
    for (let n = 10; n < 10_000; n++) world.write(receiver(n), 1);
    // Fifteen seconds of processor time if each of them looked at all.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
    await playOut(world);
    expect(world.tally.sent).toBe(10_000);
    expectOver(world);
  });

  it('let nobody in when they are closed, and are idle when what was under way has ended', async () => {
    const world = openLaneWorld({ size: 10 });
    const lane = endpoint('1', 'org_a', 2);
    world.write(lane, 5);
    await world.giveAll();
    world.write(endpoint('2'), 1);
    world.lanes.close();
    expect(world.fanOut(lane)).toBe(false);
    const onIdle = jest.fn();
    const idle = world.lanes.idle().then(onIdle);
    // What has been claimed already is sent yet.
    await world.giveAll();
    expect(world.requests.size).toBe(3);
    expect(onIdle).not.toHaveBeenCalled();
    for (const { end } of world.requests) end();
    await idle;
    expect([world.claims.size, world.tally.sent]).toEqual([0, 3]);
  });
});

describe('whatever comes in whatever order', () => {
  const names = ['1', '2', '3', '4', '5', '6'];
  const laneOf = (index: number) =>
    endpoint(names[index] ?? '', index < 4 ? 'org_a' : 'org_b', 1 + (index % 3));
  const lane = fc.nat(names.length - 1).map(laneOf);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('fanOut' as const), lane }),
    fc.record({ kind: fc.constant('write' as const), lane, count: fc.nat(5) }),
    fc.record({ kind: fc.constantFrom('give', 'fail', 'accept', 'end', 'end', 'end'), index: fc.nat(30) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  function perform(world: World, one: Step): void {
    if ('lane' in one)
      return one.kind === 'fanOut' ? void world.fanOut(one.lane) : world.write(one.lane, one.count);
    const at = <Value>(all: Set<Value>) => [...all][one.index % Math.max(all.size, 1)];
    if (one.kind === 'give') at(world.claims)?.give();
    else if (one.kind === 'fail') at(world.claims)?.fail();
    else if (one.kind === 'accept') at(world.requests)?.accept();
    else at(world.requests)?.end();
  }

  it('no bound is passed and nothing is left waiting', async () => {
    const sizes = fc.integer({ min: 1, max: 12 });
    const senders = fc.integer({ min: 1, max: 3 });
    const steps = fc.array(step, { maxLength: 120, size: 'max' });
    const play = async (size: number, copies: number, each: Step[]) => {
      const world = openLaneWorld({ size, senders: () => copies });
      for (const one of each) {
        perform(world, one);
        await settled();
        const tooMany = world
          .all()
          .filter(({ open, maxInFlight }) => open > Math.max(1, Math.floor(maxInFlight / copies)));
        if (world.tally.most > size || tooMany.length > 0) throw new Error('more are open than may be');
      }
      await playOut(world);
      // A claim that failed has left what it was for to the sweep.
      if (each.some(({ kind }) => kind === 'fail')) for (const of of world.all()) world.lanes.wake(of);
      await playOut(world);
      expectOver(world);
      await world.lanes.idle();
    };
    await fc.assert(fc.asyncProperty(sizes, senders, steps, play), { numRuns: 150 });
  }, 60_000);
});
