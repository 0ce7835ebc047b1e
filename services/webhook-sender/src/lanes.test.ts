import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { LaneOf } from './laneTable.ts';
import type { Reaction } from './limit.ts';
import { afterCallbacks, medium, simulateLanes, small } from './testing/laneSimulation.ts';

const endpoint = (name: string, organizationId = 'org_a', maxInFlight = 8): LaneOf => ({
  lane: `wh_${name}`,
  organizationId,
  maxInFlight,
});
/** An endpoint with a limit that was found before. */
const grown = (name: string, organizationId = 'org_a'): LaneOf => ({
  ...endpoint(name, organizationId, 256),
  inFlightLimit: 256,
});
/** Ten slots. */
const large = 'x'.repeat(160_000);
type Simulation = ReturnType<typeof simulateLanes>;

/** Resolves claims and requests until there are none. */
async function finish(simulation: Simulation): Promise<void> {
  while (simulation.claims.size + simulation.requests.size > 0) {
    for (const { end } of simulation.requests) end();
    await simulation.giveAll();
  }
}

function expectFinished(simulation: Simulation): void {
  expect(simulation.all().filter(({ pending }) => pending > 0)).toEqual([]);
  expect(simulation.lanes.limits().length).toBe(0);
}

/** How many entries of maps `work` iterates over. */
function countStepsOfMaps(work: () => void): number {
  const iterators: Iterator<unknown> = Object.getPrototypeOf(new Map().entries());
  const { next } = iterators;
  let steps = 0;
  iterators.next = function countedNext() {
    steps += 1;
    return next.call(this);
  };
  try {
    work();
  } finally {
    iterators.next = next;
  }
  return steps;
}

describe('a lane', () => {
  it('has at most maxInFlight requests open and sends the next one after a response', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1', 'org_a', 3), 10);
    await simulation.giveAll();
    expect(simulation.openIn('wh_1')).toBe(3);
    const [request] = simulation.requests;
    request?.end();
    await simulation.giveAll();
    expect([simulation.tally.sent, simulation.openIn('wh_1')]).toEqual([4, 3]);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(10);
    expectFinished(simulation);
  });

  it('has a free slot when its receiver has responded, and the process when that is recorded', async () => {
    const simulation = simulateLanes({ size: 3 });
    simulation.write(endpoint('1', 'org_a', 1), 3);
    await simulation.giveAll();
    const [first] = simulation.requests;
    first?.accept();
    await simulation.giveAll();
    expect([simulation.openIn('wh_1'), simulation.requests.size]).toEqual([1, 2]);
    const [, second] = simulation.requests;
    second?.accept();
    await simulation.giveAll();
    expect(simulation.openIn('wh_1')).toBe(0);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(3);
    expectFinished(simulation);
  });

  it('is divided among the senders, with at least one slot for each', async () => {
    let senders = 3;
    const simulation = simulateLanes({ size: 100, senders: () => senders });
    simulation.write(endpoint('1', 'org_a', 7), 50);
    simulation.write(endpoint('2', 'org_a', 2), 50);
    simulation.write(endpoint('3', 'org_a', 256), 50);
    await simulation.giveAll();
    expect(['wh_1', 'wh_2', 'wh_3'].map(simulation.openIn)).toEqual([2, 1, 5]);
    senders = 1;
    simulation.lanes.wake(endpoint('1', 'org_a', 7));
    await simulation.giveAll();
    simulation.lanes.wake(endpoint('3', 'org_a', 256));
    await simulation.giveAll();
    expect(['wh_1', 'wh_3'].map(simulation.openIn)).toEqual([7, 16]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('learns maxInFlight from a claim', async () => {
    const simulation = simulateLanes({ size: 100 });
    const unknown = { lane: 'wh_1', organizationId: 'org_a' };
    simulation.write(unknown, 50);
    for (const claim of simulation.claims) claim.give();
    await simulation.giveAll();
    const before = simulation.openIn('wh_1');
    for (const { end } of simulation.requests) end();
    await simulation.giveAll();
    expect([before, simulation.openIn('wh_1')]).toEqual([16, 8]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('with pending deliveries reserves no slot for a later one', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1', 'org_a', 2), 3);
    await simulation.giveAll();
    const [request] = simulation.requests;
    request?.end();
    await afterCallbacks();
    expect(simulation.fanOut(endpoint('1', 'org_a', 2))).toBeNull();
    await finish(simulation);
    expect(simulation.tally.sent).toBe(4);
    expectFinished(simulation);
  });

  it('gets back slots that the fan-out reserved and did not use', async () => {
    const simulation = simulateLanes({ size: 100 });
    const lane = endpoint('1', 'org_a', 2);
    const offers = [1, 2, 3].map(() => simulation.lanes.offer(lane, large));
    expect(offers.map((offer) => offer?.kind)).toEqual(['start', 'start', undefined]);
    offers[0]?.cancel();
    const again = simulation.lanes.offer(lane, large);
    expect(again?.kind).toBe('start');
    for (const offer of [offers[1], again]) offer?.cancel();
    expect(simulation.lanes.limits().length).toBe(0);
    await simulation.lanes.idle();
  });

  it('claims once more when it is woken during a claim', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1'), 0);
    const [claim] = simulation.claims;
    // The claim has read the database already.
    claim?.give();
    simulation.write(endpoint('1'), 1);
    await simulation.giveAll();
    expect(simulation.tally.sent).toBe(1);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('claims once more when a claim has left deliveries', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1'), 0);
    for (const claim of simulation.claims) claim.give({ hasMore: true });
    await afterCallbacks();
    expect(simulation.claims.size).toBe(1);
    await simulation.giveAll();
    expectFinished(simulation);
  });

  it('claims nothing while it is paused, even if woken, and continues by itself', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1', 'org_a', 2), 3);
    for (const claim of simulation.claims) claim.give({ waitMs: 200 });
    await afterCallbacks();
    for (const { end } of simulation.requests) end();
    await afterCallbacks();
    simulation.lanes.wake(endpoint('1'));
    expect(simulation.claims.size).toBe(0);
    jest.advanceTimersByTime(200);
    jest.useRealTimers();
    expect(simulation.claims.size).toBe(1);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(3);
    expectFinished(simulation);
  });

  it('of a failing endpoint claims nothing after a failed probe until one succeeds', async () => {
    const simulation = simulateLanes({ size: 100 });
    const probe = async (reaction: Reaction) => {
      for (const claim of simulation.claims) claim.give({}, true);
      await afterCallbacks();
      expect([simulation.requests.size, simulation.claims.size]).toEqual([1, 0]);
      for (const { end } of simulation.requests) end(reaction);
      await afterCallbacks();
    };
    simulation.write(endpoint('1'), 5);
    await probe('refused');
    expect([simulation.claims.size, simulation.lanes.limits().length]).toEqual([0, 0]);
    simulation.lanes.wake(endpoint('1'));
    await probe('accepted');
    await finish(simulation);
    expect(simulation.tally.sent).toBe(5);
    expectFinished(simulation);
  });

  it('is claimed at a success after a failure, because deliveries written in between were reported to no sender', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1', 'org_a', 2), 2);
    await simulation.giveAll();
    const [failing, succeeding] = simulation.requests;
    failing?.end('overloaded');
    await afterCallbacks();
    simulation.add(endpoint('1', 'org_a', 2)).pending += 3;
    succeeding?.end();
    await simulation.giveAll();
    expect(simulation.pendingIn('wh_1')).toBeLessThan(3);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(5);
    expectFinished(simulation);
  });

  it('is not used after a failed claim until it is woken', async () => {
    const simulation = simulateLanes({ size: 2 });
    simulation.write(endpoint('1'), 1);
    for (const claim of simulation.claims) claim.fail();
    await afterCallbacks();
    expect([simulation.claims.size, simulation.lanes.limits().length]).toEqual([0, 0]);
    simulation.write(endpoint('1'), 0);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(1);
    expectFinished(simulation);
  });
});

describe('a lane whose receiver responds quickly', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  const respond = ({ requests }: Simulation) => {
    const open = [...requests];
    for (const { end } of open) end();
  };

  /** A lane of two slots with ten deliveries claimed ahead, `pending` more and two open requests. */
  async function responding(pending: number): Promise<Simulation> {
    const simulation = simulateLanes({ size: 100 });
    const lane = endpoint('1', 'org_a', 2);
    simulation.write(lane, 2);
    for (let n = 0; n < 20; n++) {
      simulation.write(lane, 1);
      await simulation.giveAll();
      jest.advanceTimersByTime(25);
      respond(simulation);
      await simulation.giveAll();
    }
    simulation.write(lane, pending + 12);
    await simulation.giveAll();
    expect([simulation.openIn('wh_1'), simulation.lanes.claimedAhead()]).toEqual([2, 10]);
    return simulation;
  }

  it('starts the next delivery at a response, without a claim', async () => {
    const simulation = await responding(5);
    const sent = simulation.tally.sent;
    respond(simulation);
    expect([simulation.claims.size, simulation.tally.sent - sent, simulation.openIn('wh_1')]).toEqual([
      0, 2, 2,
    ]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('is claimed ahead by the fan-out too, in order', async () => {
    const simulation = await responding(0);
    while (simulation.lanes.claimedAhead() > 2) {
      respond(simulation);
      await simulation.giveAll();
    }
    expect(simulation.fanOut(endpoint('1', 'org_a', 2))).toBe('ahead');
    await finish(simulation);
    expectFinished(simulation);
  });

  it('keeps more of what is written with its claim than it claims ahead', async () => {
    const simulation = await responding(0);
    while (simulation.lanes.claimedAhead() > 2) {
      respond(simulation);
      await simulation.giveAll();
    }
    while (simulation.fanOut(endpoint('1', 'org_a', 2)) === 'ahead');
    expect(simulation.lanes.claimedAhead()).toBeGreaterThan(10);
    await finish(simulation);
    expect(simulation.tally.givenBack).toBe(0);
    expectFinished(simulation);
  });

  it('gives back what it claimed ahead when it is closed', async () => {
    const simulation = await responding(5);
    const sent = simulation.tally.sent;
    simulation.lanes.close();
    respond(simulation);
    await simulation.lanes.idle();
    expect([simulation.tally.sent - sent, simulation.tally.givenBack, simulation.pendingIn('wh_1')]).toEqual([
      0, 10, 15,
    ]);
    expect(simulation.tally.handedOver).toEqual(['wh_1']);
  });

  it('sends nothing that it claimed ahead after a failure until a success, and gives it back after seconds', async () => {
    const simulation = await responding(0);
    const sent = simulation.tally.sent;
    const [first] = simulation.requests;
    first?.end('overloaded');
    await afterCallbacks();
    expect([simulation.tally.sent - sent, simulation.lanes.claimedAhead()]).toEqual([0, 10]);
    jest.advanceTimersByTime(4000);
    await afterCallbacks();
    expect([simulation.tally.sent - sent, simulation.tally.givenBack]).toEqual([0, 10]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('continues with what it claimed ahead when a success follows a failure', async () => {
    const simulation = await responding(0);
    const sent = simulation.tally.sent;
    const [first, second] = simulation.requests;
    first?.end('overloaded');
    await afterCallbacks();
    second?.end();
    expect(simulation.tally.sent - sent).toBeGreaterThanOrEqual(1);
    expect(simulation.tally.givenBack).toBe(0);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('sends nothing from a claim that was made before a failure until a success', async () => {
    const simulation = await responding(5);
    const sent = simulation.tally.sent;
    for (let n = 0; n < 3; n++) {
      respond(simulation);
      await afterCallbacks();
    }
    const [claim] = simulation.claims;
    expect([simulation.claims.size, claim?.ahead]).not.toEqual([0, 0]);
    const [first] = simulation.requests;
    first?.end('overloaded');
    claim?.give();
    await afterCallbacks();
    expect([simulation.tally.sent - sent, simulation.openIn('wh_1')]).toEqual([6, 1]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('claims nothing ahead once the receiver has stopped responding', async () => {
    const simulation = await responding(50);
    jest.advanceTimersByTime(10_000);
    await simulation.giveAll();
    expect([
      simulation.tally.givenBack,
      simulation.lanes.claimedAhead(),
      simulation.pendingIn('wh_1'),
    ]).toEqual([10, 0, 60]);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('leaves slots for another organization', async () => {
    const simulation = await responding(5000);
    expect(simulation.lanes.slotsTaken()).toBeLessThanOrEqual(50);
    expect(simulation.fanOut(endpoint('later', 'org_b'))).toBe('start');
    await finish(simulation);
    expectFinished(simulation);
  });
});

describe('a burst of small deliveries', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  const lane = endpoint('1', 'org_a', 2);
  const burst = (simulation: Simulation, count: number) =>
    Array.from({ length: count }, () => simulation.fanOut(lane, small));

  it('waits in memory for slots and needs no claim', async () => {
    const simulation = simulateLanes({ size: 100 });
    expect(burst(simulation, 5)).toEqual(['start', 'start', 'waits', 'waits', 'waits']);
    expect([simulation.lanes.claimedAhead(), simulation.lanes.slotsTaken()]).toEqual([3, 2]);
    const [request] = simulation.requests;
    request?.end();
    expect([simulation.openIn('wh_1'), simulation.lanes.claimedAhead()]).toEqual([2, 2]);
    await finish(simulation);
    expect([simulation.tally.sent, simulation.claims.size, simulation.tally.givenBack]).toEqual([5, 0, 0]);
    expectFinished(simulation);
  });

  it('waits no longer than some seconds, then it is given back and claimed', async () => {
    const simulation = simulateLanes({ size: 100 });
    burst(simulation, 5);
    jest.advanceTimersByTime(4000);
    await afterCallbacks();
    expect([simulation.tally.givenBack, simulation.lanes.claimedAhead()]).toEqual([3, 0]);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(5);
    expectFinished(simulation);
  });

  it('is not sent after a failure until a success', async () => {
    const simulation = simulateLanes({ size: 100 });
    burst(simulation, 5);
    const [first, second] = simulation.requests;
    first?.end('overloaded');
    await afterCallbacks();
    expect([simulation.tally.sent, simulation.fanOut(lane, small)]).toEqual([2, null]);
    second?.end();
    expect(simulation.tally.sent).toBeGreaterThan(2);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(6);
    expectFinished(simulation);
  });

  it('goes to the database beyond what its receiver takes in seconds, and so does what follows', async () => {
    const simulation = simulateLanes({ size: 100 });
    const kinds = burst(simulation, 1000);
    const kept = kinds.lastIndexOf('waits') + 1;
    expect(kinds.slice(2, kept).every((kind) => kind === 'waits')).toBe(true);
    expect([kept < 1000, simulation.pendingIn('wh_1')]).toEqual([true, 1000 - kept]);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(1000);
    expectFinished(simulation);
  });

  it('leaves slots and memory for other organizations', async () => {
    const simulation = simulateLanes({ size: 20 });
    for (let n = 0; n < 16; n++) {
      for (let m = 0; m < 450; m++) simulation.fanOut(endpoint(`hangs_${n}`), small);
    }
    await simulation.giveAll();
    expect([simulation.requests.size, simulation.lanes.claimedAhead()]).toEqual([10, 6000]);
    const later = endpoint('later', 'org_b', 1);
    expect([simulation.fanOut(later, small), simulation.fanOut(later, small)]).toEqual(['start', 'waits']);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(7202);
    expectFinished(simulation);
  });

  it('takes slots that other lanes free', async () => {
    const simulation = simulateLanes({ size: 20 });
    for (const name of ['2', '3', '4', '5', '6', '7']) simulation.fanOut(endpoint(name));
    for (let n = 0; n < 8; n++) simulation.fanOut(endpoint('1'), small);
    const open = simulation.openIn('wh_1');
    const others = [...simulation.requests].filter(({ delivery }) => delivery.lane !== 'wh_1');
    for (const { end } of others) end();
    await afterCallbacks();
    expect(simulation.openIn('wh_1')).toBeGreaterThan(open + 1);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('is given back when the lanes are closed, before they are idle', async () => {
    const simulation = simulateLanes({ size: 100 });
    burst(simulation, 5);
    simulation.lanes.close();
    for (const { end } of simulation.requests) end();
    await simulation.lanes.idle();
    expect([simulation.tally.sent, simulation.tally.givenBack, simulation.pendingIn('wh_1')]).toEqual([
      2, 3, 3,
    ]);
    expect(simulation.tally.handedOver).toEqual(['wh_1']);
  });
});

describe('the lanes of a process', () => {
  it('leave slots for an organization that comes later', async () => {
    const simulation = simulateLanes({ size: 20 });
    for (let n = 0; n < 100; n++) simulation.fanOut(endpoint(`hangs_${n}`, 'org_a'));
    await simulation.giveAll();
    expect(simulation.requests.size).toBe(10);
    expect(simulation.fanOut(endpoint('later', 'org_b'))).toBe('start');
    await finish(simulation);
    expect(simulation.tally.sent).toBe(101);
    expectFinished(simulation);
  });

  it('leave slots for another lane of an organization whose other receivers hang, however many they took', async () => {
    const simulation = simulateLanes({ size: 2000 });
    const hanging = ['1', '2', '3', '4'].map((name) => grown(name));
    for (const lane of hanging) simulation.write(lane, 1000);
    await simulation.giveAll();
    expect(hanging.map(({ lane }) => simulation.openIn(lane))).toEqual([256, 256, 244, 122]);
    simulation.write(grown('healthy'), 100);
    await simulation.giveAll();
    expect(simulation.openIn('wh_healthy')).toBe(61);
    expect(simulation.fanOut(endpoint('later'))).toBe('start');
    await finish(simulation);
    expectFinished(simulation);
  });

  it('give a free slot to the lane that may have it within a second, however many that hang are queued before it', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const simulation = simulateLanes({ size: 40 });
    const hanging = Array.from({ length: 19 }, (_, n) => endpoint(`hangs_${n}`));
    for (const lane of hanging) expect(simulation.fanOut(lane)).toBe('start');
    expect(simulation.fanOut(endpoint('quick'))).toBe('start');
    for (const lane of [...hanging, endpoint('healthy')]) simulation.write(lane, 1);
    const [quick] = [...simulation.requests].filter(({ delivery }) => delivery.lane === 'wh_quick');
    quick?.end();
    await simulation.giveAll();
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    await simulation.giveAll();
    expect(simulation.openIn('wh_healthy')).toBe(1);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('are full of fewer requests with large bodies, and still have room for other lanes and organizations', async () => {
    const simulation = simulateLanes({ size: 200, bodyOf: (lane) => (lane === 'wh_large' ? large : small) });
    for (let n = 0; n < 100; n++) simulation.fanOut(grown('large'));
    await simulation.giveAll();
    expect([simulation.openIn('wh_large'), simulation.lanes.slotsTaken()]).toEqual([5, 50]);
    expect(simulation.fanOut(grown('later'))).toBe('start');
    expect(simulation.fanOut(grown('other', 'org_b'))).toBe('start');
    await finish(simulation);
    expect(simulation.tally.sent).toBe(102);
    expectFinished(simulation);
    await simulation.lanes.idle();
  });

  it('take the slots of large bodies with a claim, and free them with the responses', async () => {
    const simulation = simulateLanes({ size: 200, bodyOf: () => large });
    simulation.write(endpoint('1', 'org_a', 4), 8);
    await simulation.giveAll();
    expect(simulation.lanes.slotsTaken()).toBe(40);
    expect(simulation.fanOut(endpoint('2'))).toBe('start');
    await finish(simulation);
    expect([simulation.tally.sent, simulation.lanes.slotsTaken()]).toEqual([9, 0]);
    expectFinished(simulation);
  });

  it('start the deliveries of a fan-out within the same shares', async () => {
    const simulation = simulateLanes({ size: 2000 });
    for (const name of ['1', '2', '3', '4', '5']) {
      for (let n = 0; n < 300; n++) simulation.fanOut(grown(name));
    }
    expect(simulation.fanOut(grown('healthy'))).toBe('start');
    await finish(simulation);
    expectFinished(simulation);
  });

  it('claim for organizations in turn', async () => {
    const simulation = simulateLanes({ size: 4 });
    const orgs = ['org_a', 'org_b', 'org_c'];
    for (const org of orgs) simulation.write(endpoint(org, org, 1), 30);
    const sent: string[] = [];
    while (sent.length < 60) {
      await simulation.giveAll();
      const [request] = simulation.requests;
      sent.push(request?.delivery.organizationId ?? '');
      request?.end();
    }
    const counts = orgs.map((org) => sent.filter((one) => one === org).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('claim for the lanes of an organization in turn, so that a full lane does not keep all slots', async () => {
    const simulation = simulateLanes({ size: 8 });
    simulation.write(endpoint('flood', 'org_a', 4), 1000);
    await simulation.giveAll();
    expect(simulation.requests.size).toBe(2);
    simulation.write(endpoint('quiet', 'org_a', 4), 1);
    const [request] = simulation.requests;
    request?.end();
    await simulation.giveAll();
    expect([...simulation.requests].filter(({ delivery }) => delivery.lane === 'wh_quiet')).toHaveLength(1);
    await finish(simulation);
    expectFinished(simulation);
  });

  it('are not all visited for each delivery that arrives while no slot is free', async () => {
    const simulation = simulateLanes({ size: 10 });
    const receiver = (n: number) => endpoint(`${n}`, `org_${n}`);
    for (let n = 0; n < 10; n++) expect(simulation.fanOut(receiver(n))).toBe('start');
    const steps = countStepsOfMaps(() => {
      for (let n = 10; n < 3000; n++) simulation.write(receiver(n), 1);
    });
    expect(steps).toBeLessThan(3 * 3000);
    await finish(simulation);
    expect(simulation.tally.sent).toBe(3000);
    expectFinished(simulation);
  });

  it('claim nothing when they are closed, and are idle when the open requests have ended', async () => {
    const simulation = simulateLanes({ size: 10 });
    const lane = endpoint('1', 'org_a', 2);
    simulation.write(lane, 5);
    await simulation.giveAll();
    simulation.write(endpoint('2'), 1);
    simulation.lanes.close();
    expect(simulation.fanOut(lane)).toBeNull();
    const onIdle = jest.fn();
    const idle = simulation.lanes.idle().then(onIdle);
    // Claimed deliveries are still sent.
    await simulation.giveAll();
    expect(simulation.requests.size).toBe(3);
    expect(onIdle).not.toHaveBeenCalled();
    for (const { end } of simulation.requests) end();
    await idle;
    expect([simulation.claims.size, simulation.tally.sent]).toEqual([0, 3]);
  });
});

describe('a delivery that is fanned out during a claim', () => {
  it('starts when the claim finds nothing', async () => {
    const simulation = simulateLanes({ size: 5 });
    const lane = endpoint('1', 'org_a', 1);
    simulation.fanOut(lane);
    simulation.write(lane, 0);
    for (const { end } of simulation.requests) end();
    await afterCallbacks();
    expect(simulation.claims.size).toBe(1);
    expect(simulation.fanOut(lane)).toBe('ahead');
    await simulation.giveAll();
    expect(simulation.openIn('wh_1')).toBe(1);
    await finish(simulation);
    expectFinished(simulation);
  });
});

describe('the lanes of a process that stops', () => {
  it('are handed over when a fan-out writes deliveries or the last claim leaves some', async () => {
    const simulation = simulateLanes({ size: 100 });
    const full = endpoint('full', 'org_a', 2);
    simulation.write(full, 5);
    simulation.lanes.close();
    expect(simulation.tally.handedOver).toEqual([]);
    await simulation.giveAll();
    expect(simulation.tally.handedOver).toEqual(['wh_full']);
    expect(simulation.fanOut(endpoint('later'))).toBeNull();
    expect(simulation.tally.handedOver).toEqual(['wh_full', 'wh_later']);
    await finish(simulation);
    await simulation.lanes.idle();
    expect([simulation.tally.sent, simulation.lanes.limits()]).toEqual([2, []]);
  });

  it('are handed over when a probe succeeds', async () => {
    const simulation = simulateLanes({ size: 100 });
    simulation.write(endpoint('1'), 5);
    for (const claim of simulation.claims) claim.give({}, true);
    await afterCallbacks();
    simulation.lanes.close();
    for (const { end } of simulation.requests) end();
    await simulation.lanes.idle();
    await afterCallbacks();
    expect([simulation.tally.sent, simulation.tally.handedOver]).toEqual([1, ['wh_1']]);
  });
});

describe('any sequence of events', () => {
  const names = ['1', '2', '3', '4', '5', '6'];
  const laneOf = (index: number) =>
    endpoint(names[index] ?? '', index < 4 ? 'org_a' : 'org_b', 1 + (index % 3));
  const lane = fc.nat(names.length - 1).map(laneOf);
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('fanOut' as const, 'fanOutSmall' as const), lane }),
    fc.record({ kind: fc.constant('write' as const), lane, count: fc.nat(5) }),
    fc.record({ kind: fc.constantFrom('give', 'fail', 'accept', 'end', 'end', 'end'), index: fc.nat(30) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  function perform(simulation: Simulation, one: Step): void {
    if ('count' in one) return simulation.write(one.lane, one.count);
    if ('lane' in one)
      return void simulation.fanOut(one.lane, one.kind === 'fanOutSmall' ? small : undefined);
    const at = <Value>(all: Set<Value>) => [...all][one.index % Math.max(all.size, 1)];
    if (one.kind === 'give') at(simulation.claims)?.give();
    else if (one.kind === 'fail') at(simulation.claims)?.fail();
    else if (one.kind === 'accept') at(simulation.requests)?.accept();
    else at(simulation.requests)?.end();
  }

  it('exceeds no limit and leaves no delivery pending', async () => {
    const sizes = fc.integer({ min: 1, max: 12 });
    const senders = fc.integer({ min: 1, max: 3 });
    const steps = fc.array(step, { maxLength: 120, size: 'max' });
    const play = async (size: number, copies: number, each: Step[]) => {
      const bodyOf = (lane: string) => (lane === 'wh_1' ? large : medium);
      const simulation = simulateLanes({ size, senders: () => copies, bodyOf });
      for (const one of each) {
        perform(simulation, one);
        await afterCallbacks();
        const tooMany = simulation
          .all()
          .filter(({ open, maxInFlight }) => open > Math.max(1, Math.floor(maxInFlight / copies)));
        if (simulation.tally.maxOpen > size || tooMany.length > 0)
          throw new Error('too many requests are open');
      }
      await finish(simulation);
      // A sweep wakes the lanes of failed claims.
      if (each.some(({ kind }) => kind === 'fail'))
        for (const of of simulation.all()) simulation.lanes.wake(of);
      await finish(simulation);
      expectFinished(simulation);
      await simulation.lanes.idle();
    };
    await fc.assert(fc.asyncProperty(sizes, senders, steps, play), {
      numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150),
    });
  }, 60_000);
});
