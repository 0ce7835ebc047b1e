import { describe, expect, it } from '@jest/globals';
import { createLimit, type Reaction } from './limit.ts';

type Receiver = {
  /** Requests that it works on at once; others queue. */
  workers: number;
  serviceMs: number;
  /** Open requests above which it responds with 429 at once. */
  refusesAbove?: number;
};

/** A limit with its own clock, and a receiver that always has more to take. */
function simulate(receiver: Receiver, options: { share?: number; max?: number } = {}) {
  const { share = 1, max = 256 } = options;
  let nowMs = 0;
  let workers: number[] = [];
  const open: { startedAtMs: number; endsAtMs: number; reaction: Reaction }[] = [];
  const limit = createLimit(
    () => share,
    () => nowMs,
  );

  function start(): void {
    const isRefused = limit.open() >= (receiver.refusesAbove ?? Number.POSITIVE_INFINITY);
    workers = workers.filter((freeAtMs) => freeAtMs > nowMs).sort((one, other) => one - other);
    const startsAtMs = workers.length < receiver.workers ? nowMs : (workers.at(-receiver.workers) ?? nowMs);
    const endsAtMs = isRefused ? nowMs + 1 : startsAtMs + receiver.serviceMs;
    if (!isRefused) workers.push(endsAtMs);
    open.push({ startedAtMs: limit.start(), endsAtMs, reaction: isRefused ? 'overloaded' : 'accepted' });
  }

  function run(forMs: number, perS = Number.POSITIVE_INFINITY): { perS: number; most: number } {
    const [startMs, endMs] = [nowMs, nowMs + forMs];
    let [responses, most, started] = [0, 0, 0];
    while (nowMs < endMs) {
      const allowed = () => Math.min(max, limit.value());
      while (limit.open() < allowed() && started < ((nowMs - startMs + 1) / 1000) * perS) {
        start();
        started += 1;
      }
      most = Math.max(most, limit.open());
      nowMs += 1;
      for (const one of open.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
        open.splice(open.indexOf(one), 1);
        limit.end(one.startedAtMs, one.reaction, max);
        responses += one.reaction === 'accepted' ? 1 : 0;
      }
    }
    return { perS: (1000 * responses) / forMs, most };
  }

  return { limit, run, receiver };
}

describe('the limit of a receiver', () => {
  it.each([50, 250])(
    'grows from 16 to the maximum within seconds while a receiver of %s ms keeps up',
    (serviceMs) => {
      const { limit, run } = simulate({ workers: 1000, serviceMs });
      expect(limit.value()).toBe(16);
      run(12 * serviceMs);
      expect(limit.value()).toBe(256);
    },
  );

  it('does not grow above the maximum, nor by requests that it did not hold up', () => {
    const bounded = simulate({ workers: 1000, serviceMs: 50 }, { max: 20 });
    bounded.run(5000);
    expect(bounded.limit.value()).toBe(20);
    const { limit, run } = simulate({ workers: 1000, serviceMs: 50 });
    run(5000, 100);
    expect(limit.value()).toBe(16);
  });

  it('has a rate before its first quarter of a second is over', () => {
    const { limit, run } = simulate({ workers: 16, serviceMs: 5 });
    run(20);
    expect(limit.perS()).toBeGreaterThan(1000);
  });

  it('stays where requests would queue at the receiver, whose rate is then full', () => {
    const { limit, run } = simulate({ workers: 40, serviceMs: 100 });
    run(20_000);
    const { perS, most } = run(20_000);
    expect(perS).toBeGreaterThan(0.95 * 400);
    expect(most).toBeLessThan(160);
    expect(limit.value()).toBeLessThan(160);
  });

  it('halves when the receiver is overloaded, once for all that was sent before', () => {
    const { limit, run } = simulate({ workers: 1000, serviceMs: 50 });
    run(2000);
    const starts = Array.from({ length: 100 }, () => limit.start());
    run(1);
    for (const startedAtMs of starts) limit.end(startedAtMs, 'overloaded', 256);
    expect(limit.value()).toBe(128);
    run(2000);
    expect(limit.value()).toBe(256);
  });

  it('settles below what a receiver refuses', () => {
    const { run } = simulate({ workers: 1000, serviceMs: 50, refusesAbove: 60 });
    run(10_000);
    const { perS } = run(20_000);
    expect(perS).toBeGreaterThan(0.6 * (60 / 0.05));
  });

  it('is taken up again when a receiver has become slower for good', () => {
    const { limit, run, receiver } = simulate({ workers: 1000, serviceMs: 50 });
    run(5000);
    receiver.serviceMs = 500;
    run(60_000);
    expect(limit.value()).toBe(256);
  });

  it('falls to four while a receiver owes responses and gives none', () => {
    const { limit, run, receiver } = simulate({ workers: 1000, serviceMs: 50 });
    run(1000);
    receiver.serviceMs = 30_000;
    run(1900);
    expect(limit.value()).toBeGreaterThan(100);
    run(300);
    expect([limit.value(), limit.perS() > 0]).toEqual([4, true]);
    run(20_000);
    expect(limit.perS()).toBeLessThan(100);
  });

  it('says nothing of failures that are our own or of a refusal', () => {
    const { limit, run } = simulate({ workers: 1000, serviceMs: 50 });
    run(2000);
    for (const reaction of ['ours', 'refused'] as const) limit.end(limit.start(), reaction, 256);
    expect(limit.value()).toBe(256);
  });

  it('is shared by senders, and continues where another sender or an earlier process was', () => {
    const { limit, run } = simulate({ workers: 1000, serviceMs: 50 }, { share: 1 / 3 });
    expect([limit.value(), limit.found()]).toEqual([5, null]);
    limit.restore(80);
    expect([limit.value(), limit.found()]).toEqual([80, 80]);
    run(1000);
    limit.restore(3);
    expect(limit.value()).toBeGreaterThanOrEqual(80);
  });
});
