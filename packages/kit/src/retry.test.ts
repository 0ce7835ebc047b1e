import { describe, expect, it, jest } from '@jest/globals';
import { backoff, retry } from './retry.ts';

/** Fails with these errors, one after the other, then succeeds. */
function failing(...errors: Error[]) {
  return jest.fn(async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  });
}

const failed = (message = 'failed') => new Error(message);

describe('retry', () => {
  it('returns the first result, and reports each failure before it', async () => {
    const onFailure = jest.fn();
    const work = failing(failed('first'), failed('second'));
    expect(await retry(work, { delaysMs: [1, 1], onFailure })).toBe('done');
    expect(work).toHaveBeenCalledTimes(3);
    expect(onFailure.mock.calls).toEqual([
      [failed('first'), { tries: 1, willRetry: true }],
      [failed('second'), { tries: 2, willRetry: true }],
    ]);
  });

  it('throws the last error when no pause is left', async () => {
    const onFailure = jest.fn();
    const work = failing(failed('first'), failed('second'));
    await expect(retry(work, { delaysMs: [1], onFailure })).rejects.toThrow('second');
    expect(work).toHaveBeenCalledTimes(2);
    expect(onFailure).toHaveBeenLastCalledWith(failed('second'), { tries: 2, willRetry: false });
  });

  it('throws an error that is not retryable at once', async () => {
    const work = failing(failed('lasting'));
    const isRetryable = (error: unknown) => !(error instanceof Error && error.message === 'lasting');
    await expect(retry(work, { delaysMs: [1, 1], isRetryable })).rejects.toThrow('lasting');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('starts no retry after its deadline', async () => {
    const work = failing(failed('first'));
    await expect(retry(work, { delaysMs: [600_000], forMs: 60_000 })).rejects.toThrow('first');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('makes no call once its signal has aborted', async () => {
    const work = failing();
    const signal = AbortSignal.abort(failed('shutting down'));
    await expect(retry(work, { delaysMs: [], signal })).rejects.toThrow('shutting down');
    expect(work).not.toHaveBeenCalled();
  });

  it('stops during a pause when its signal aborts', async () => {
    const controller = new AbortController();
    const work = failing(failed());
    const onFailure = () => setImmediate(() => controller.abort());
    const options = { delaysMs: [600_000], signal: controller.signal, onFailure };
    await expect(retry(work, options)).rejects.toThrow('aborted');
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe('backoff', () => {
  it('doubles each pause up to its maximum', () => {
    const pauses = backoff(100, 1000);
    const first = Array.from({ length: 6 }, () => pauses.next().value);
    expect(first).toEqual([100, 200, 400, 800, 1000, 1000]);
  });
});
