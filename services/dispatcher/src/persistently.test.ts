import { DownloadError } from '@holdfast/egress/download';
import { UnusableOutput } from '@holdfast/providers/outputFiles';
import { describe, expect, it, jest } from '@jest/globals';
import { persistently } from './persistently.ts';

const never = new AbortController().signal;
const pauses = [1, 1];

/** Fails with these errors, one after the other, then succeeds. */
function failing(...errors: Error[]) {
  return jest.fn(async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'stored';
  });
}

const away = () => new Error('connect ECONNREFUSED');

describe('the copy of an output', () => {
  it('outlasts a store that is away for a while', async () => {
    const onFailure = jest.fn();
    expect(await persistently(failing(away(), away()), onFailure, never, pauses)).toBe('stored');
    expect(onFailure.mock.calls.map(([, tries]) => tries)).toEqual([1, 2]);
  });

  it('gives up when the pauses are used up', async () => {
    const work = failing(away(), away(), away());
    expect(await persistently(work, () => {}, never, pauses)).toBeNull();
    expect(work).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['a type that is not stored', new UnusableOutput('no type')],
    ['an address that is refused', new DownloadError('policy', 'private')],
    ['a file that is too large', new DownloadError('too_large', 'too large')],
    ['a file that is not there', new DownloadError('status', 'answered 404', 404)],
  ])('is not tried again for %s', async (_what, error) => {
    const work = failing(error);
    expect(await persistently(work, () => {}, never, pauses)).toBeNull();
    expect(work).toHaveBeenCalledTimes(1);
  });

  it.each([
    new DownloadError('network', 'reset'),
    new DownloadError('status', 'answered 503', 503),
    new DownloadError('status', 'answered 429', 429),
  ])('is tried again for a host that may come back: $message', async (error) => {
    expect(await persistently(failing(error), () => {}, never, pauses)).toBe('stored');
  });

  it('ends with the run, in the middle of a pause', async () => {
    const ending = new AbortController();
    const work = failing(away());
    const onFailure = () => setImmediate(() => ending.abort());
    expect(await persistently(work, onFailure, ending.signal, [600_000])).toBeNull();
    expect(work).toHaveBeenCalledTimes(1);
  });
});
