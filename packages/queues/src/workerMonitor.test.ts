import { describe, expect, it, jest } from '@jest/globals';
import { createWorkerMonitor } from './workerMonitor.ts';

function openWatch(waiting: () => Promise<number>) {
  let timeMs = 0;
  const renew = jest.fn();
  const watch = createWorkerMonitor({ queue: 'q', waiting, renew, nowMs: () => timeMs });
  return {
    watch,
    renew,
    async passS(seconds: number) {
      for (let second = 0; second < seconds; second += 10) {
        timeMs += 10_000;
        await watch.look();
      }
    },
  };
}

describe('a worker monitor', () => {
  it('reports no problem while no job is waiting', async () => {
    const { watch, renew, passS } = openWatch(async () => 0);
    await passS(300);
    expect([renew.mock.calls.length, watch.problem()]).toEqual([0, null]);
  });

  it('reports no problem while a job runs for long', async () => {
    const { watch, renew, passS } = openWatch(async () => 7);
    let finish = () => {};
    const job = watch.during(() => new Promise<void>((resolve) => (finish = resolve)));
    await passS(300);
    expect([renew.mock.calls.length, watch.problem()]).toEqual([0, null]);
    finish();
    await job;
  });

  it('renews a silent worker every 20 s, and reports a problem after a minute', async () => {
    const { watch, renew, passS } = openWatch(async () => 7);
    await passS(10);
    expect(renew).toHaveBeenCalledTimes(0);
    await passS(10);
    expect(renew).toHaveBeenCalledTimes(1);
    await passS(10);
    expect(renew).toHaveBeenCalledTimes(1);
    await passS(30);
    expect(watch.problem()).toBeNull();
    await passS(10);
    expect(watch.problem()).toBe('no job of q was taken for a minute');
    await watch.during(async () => {});
    expect(watch.problem()).toBeNull();
  });

  it('reports no problem while Redis is unavailable', async () => {
    const { watch, renew, passS } = openWatch(() => Promise.reject(new Error('Redis is unavailable')));
    await passS(300);
    expect([renew.mock.calls.length, watch.problem()]).toEqual([0, null]);
  });

  it('reports no problem while Redis does not respond', async () => {
    jest.useFakeTimers();
    try {
      const { watch, passS } = openWatch(() => new Promise(() => {}));
      const passed = passS(90);
      await jest.advanceTimersByTimeAsync(90_000);
      await passed;
      expect(watch.problem()).toBeNull();
    } finally {
      jest.useRealTimers();
    }
  });
});
