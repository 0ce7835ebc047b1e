import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createActivity } from './activity.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a process without work checks for work every five seconds', async () => {
  const hasWork = jest.fn(async () => false);
  const activity = createActivity(hasWork);
  expect(await activity.isActive()).toBe(false);
  jest.advanceTimersByTime(4999);
  expect(await activity.isActive()).toBe(false);
  expect(hasWork).toHaveBeenCalledTimes(1);
  hasWork.mockResolvedValue(true);
  jest.advanceTimersByTime(1);
  expect(await activity.isActive()).toBe(true);
  expect(activity.seemsActive()).toBe(true);
});

it('a hint makes a process active at once for five seconds', async () => {
  const hasWork = jest.fn(async () => false);
  const activity = createActivity(hasWork);
  expect(await activity.isActive()).toBe(false);
  activity.wake();
  expect(await activity.isActive()).toBe(true);
  jest.advanceTimersByTime(5000);
  expect(await activity.isActive()).toBe(false);
});

it('a hint during a check overrides its result', async () => {
  const result = Promise.withResolvers<boolean>();
  const activity = createActivity(() => result.promise);
  const checked = activity.isActive();
  jest.advanceTimersByTime(1);
  activity.wake();
  result.resolve(false);
  expect(await checked).toBe(true);
  expect(await activity.isActive()).toBe(true);
});

it('concurrent sweeps share a check, and a failed check stops no sweep', async () => {
  const hasWork = jest.fn(() => Promise.reject(new Error('no database')));
  const activity = createActivity(hasWork);
  expect(await Promise.all([activity.isActive(), activity.isActive()])).toEqual([true, true]);
  expect(hasWork).toHaveBeenCalledTimes(1);
});
