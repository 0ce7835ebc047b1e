import { describe, expect, it, jest } from '@jest/globals';
import { ApiError } from './errors.ts';
import { requestedDelay, sleep, startTimer } from './retries.ts';

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

describe('the delay of a Retry-After', () => {
  const delayOf = (retryAfter: string) =>
    requestedDelay(
      new ApiError(
        { code: 'RATE_LIMITED', message: 'No.', retryable: true },
        new Response(null, { status: 429, headers: { 'retry-after': retryAfter } }),
      ),
    );

  it('is seconds or a date', () => {
    expect(delayOf('2')).toBeGreaterThanOrEqual(2000);
    expect(delayOf(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(58_000);
  });

  it.each(['1.5', '-1', '2030-01-01', '9999999999', 'soon'])('is unknown for %s', (text) => {
    expect(delayOf(text)).toBeNull();
  });
});

describe('a pause', () => {
  it('of more than 2^31 ms lasts until it is aborted', async () => {
    const pausing = sleep(longMs, AbortSignal.timeout(20));
    await expect(pausing).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
