import { describe, expect, it, jest } from '@jest/globals';
import { sleep, startTimer } from './retries.ts';

const longMs = 2 ** 31;

describe('a timer', () => {
  it.each([longMs, Number.POSITIVE_INFINITY])('of %d ms does not end at once', (ms) => {
    jest.useFakeTimers();
    const onTime = jest.fn();
    startTimer(onTime, ms);
    jest.advanceTimersByTime(longMs - 2);
    expect(onTime).not.toHaveBeenCalled();
    jest.useRealTimers();
  });
});

describe('a pause', () => {
  it('of more than 2^31 ms lasts until it is aborted', async () => {
    const pausing = sleep(longMs, AbortSignal.timeout(20));
    await expect(pausing).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
