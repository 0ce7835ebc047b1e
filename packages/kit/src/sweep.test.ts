import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from './logger.ts';
import { startSweep, sweepGroup } from './sweep.ts';

const log = createLogger('test', 'silent');

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const open = (work: () => Promise<void>) => startSweep({ name: 'work', intervalMs: 1000, log, work });

describe('a sweep', () => {
  it('runs repeatedly, also after a failure, until it is stopped', async () => {
    const work = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('no')).mockResolvedValue();
    const sweep = open(work);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(work.mock.calls.length).toBeGreaterThanOrEqual(8);
    await sweep.stop();
    work.mockClear();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(work).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('never runs twice at once: a second request joins the current run', async () => {
    let finish = () => {};
    const work = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const sweep = open(work);
    const both = Promise.all([sweep.runNow(), sweep.runNow()]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(work).toHaveBeenCalledTimes(1);
    const stopped = sweep.stop();
    finish();
    await Promise.all([both, stopped]);
  });

  it('runs by itself only in its turn, and on request at any time', async () => {
    const work = jest.fn(async () => {});
    const isTurn = jest.fn(async () => false);
    const sweep = startSweep({ name: 'work', intervalMs: 1000, log, work, isTurn });
    await jest.advanceTimersByTimeAsync(90_000);
    expect(isTurn.mock.calls.length).toBeGreaterThan(50);
    expect(work).not.toHaveBeenCalled();
    expect(sweep.problem()).toBeNull();
    await sweep.runNow();
    expect(work).toHaveBeenCalledTimes(1);
    isTurn.mockResolvedValue(true);
    await jest.advanceTimersByTimeAsync(2000);
    expect(work.mock.calls.length).toBeGreaterThan(1);
    await sweep.stop();
  });

  it('rests without a timer or a problem while there is no work', async () => {
    const work = jest.fn(async () => {});
    const { promise: untilWork, resolve: onWork } = Promise.withResolvers<void>();
    const activity = { untilActive: () => untilWork };
    const sweep = startSweep({ name: 'work', intervalMs: 1000, log, work, activity });
    await jest.advanceTimersByTimeAsync(600_000);
    expect([work.mock.calls.length, jest.getTimerCount(), sweep.problem()]).toEqual([0, 0, null]);
    onWork();
    await jest.advanceTimersByTimeAsync(0);
    expect(sweep.problem()).toBeNull();
    await jest.advanceTimersByTimeAsync(1200);
    expect(work).toHaveBeenCalledTimes(1);
    await sweep.stop();
  });

  it('that is stopped while it rests does not run any more', async () => {
    const work = jest.fn(async () => {});
    const { promise: untilWork, resolve: onWork } = Promise.withResolvers<void>();
    const activity = { untilActive: () => untilWork };
    await startSweep({ name: 'work', intervalMs: 1000, log, work, activity }).stop();
    onWork();
    await jest.advanceTimersByTimeAsync(2000);
    expect([work.mock.calls.length, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('reports a problem when it hangs for more than a minute', async () => {
    const group = sweepGroup([open(async () => {}), open(() => new Promise<void>(() => {}))]);
    await jest.advanceTimersByTimeAsync(59_000);
    expect(group.problem()).toBeNull();
    await jest.advanceTimersByTimeAsync(3000);
    expect(group.problem()).toBe('work hangs');
  });

  it('reports no problem when it fails, because a restart would not repair its dependency', async () => {
    const group = sweepGroup([open(() => Promise.reject(new Error('no')))]);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(group.problem()).toBeNull();
  });
});
