import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createActivity } from './activity.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Whether `activity` now lets sweeps run. */
async function isActive(activity: ReturnType<typeof createActivity>): Promise<boolean> {
  let isOver = false;
  void activity.untilActive().then(() => (isOver = true));
  await jest.advanceTimersByTimeAsync(0);
  return isOver;
}

it('a process without work checks for work every five seconds', async () => {
  const hasWork = jest.fn(async () => false);
  const activity = createActivity(hasWork);
  const resting = activity.untilActive();
  await jest.advanceTimersByTimeAsync(4999);
  expect(hasWork).toHaveBeenCalledTimes(1);
  expect(activity.seemsActive()).toBe(false);
  hasWork.mockResolvedValue(true);
  await jest.advanceTimersByTimeAsync(1);
  await resting;
  expect(activity.seemsActive()).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('a process with work checks for work every five seconds, too', async () => {
  const hasWork = jest.fn(async () => true);
  const activity = createActivity(hasWork);
  expect(await isActive(activity)).toBe(true);
  hasWork.mockResolvedValue(false);
  await jest.advanceTimersByTimeAsync(4999);
  expect(await isActive(activity)).toBe(true);
  await jest.advanceTimersByTimeAsync(1);
  expect(await isActive(activity)).toBe(false);
  expect(hasWork).toHaveBeenCalledTimes(2);
});

it('a hint makes a process active at once for five seconds', async () => {
  const activity = createActivity(async () => false);
  const resting = activity.untilActive();
  await jest.advanceTimersByTimeAsync(1000);
  activity.wake();
  await resting;
  await jest.advanceTimersByTimeAsync(4999);
  expect(await isActive(activity)).toBe(true);
  await jest.advanceTimersByTimeAsync(1);
  expect(await isActive(activity)).toBe(false);
});

it('a hint during a check overrides its result', async () => {
  const result = Promise.withResolvers<boolean>();
  const activity = createActivity(() => result.promise);
  const checked = activity.untilActive();
  await jest.advanceTimersByTimeAsync(1);
  activity.wake();
  result.resolve(false);
  await checked;
  expect(await isActive(activity)).toBe(true);
});

it('concurrent sweeps share a check, and a failed check stops no sweep', async () => {
  const hasWork = jest.fn(() => Promise.reject(new Error('no database')));
  const activity = createActivity(hasWork);
  await Promise.all([activity.untilActive(), activity.untilActive()]);
  expect(hasWork).toHaveBeenCalledTimes(1);
});

it('a database that does not respond stops no sweep, which then shows that it hangs', async () => {
  const hasWork = jest.fn(() => new Promise<boolean>(() => {}));
  const activity = createActivity(hasWork);
  const resting = activity.untilActive();
  await jest.advanceTimersByTimeAsync(5001);
  await resting;
  expect(hasWork).toHaveBeenCalledTimes(1);
});

it('a closed process asks the database no more', async () => {
  const hasWork = jest.fn(async () => false);
  const activity = createActivity(hasWork);
  void activity.untilActive();
  await jest.advanceTimersByTimeAsync(0);
  activity.close();
  await jest.advanceTimersByTimeAsync(60_000);
  expect([hasWork.mock.calls.length, jest.getTimerCount()]).toEqual([1, 0]);
});

it('sweeps that rest share a timer', async () => {
  const hasWork = jest.fn(async () => false);
  const activity = createActivity(hasWork);
  const resting = Promise.all([activity.untilActive(), activity.untilActive()]);
  await jest.advanceTimersByTimeAsync(10_000);
  expect([hasWork.mock.calls.length, jest.getTimerCount()]).toEqual([3, 1]);
  activity.wake();
  await resting;
});
