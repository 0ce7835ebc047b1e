import { expect, it } from '@jest/globals';
import { progressOfLogs, retryAfterMs } from './progress.ts';
import { refusedForMs } from './replicate/refusal.ts';

it.each([
  [{ 'retry-after': '1.2345' }, 1235],
  [{ 'retry-after-ms': '20.5' }, 21],
  [{ 'retry-after': '9'.repeat(400) }, 60_000],
  [{ 'retry-after': '99999999999999' }, 60_000],
  [{ 'retry-after': 'soon' }, 1000],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  [{}, 1000],
])('the delay %j is read as whole milliseconds', (headers, ms) => {
  expect(retryAfterMs(headers, 1000)).toBe(ms);
});

it('a time in a body is not a delay', () => {
  const response = (after: number) => ({
    ok: true as const,
    status: 429,
    headers: {},
    bodyText: '',
    json: { retry_after: after },
  });
  expect(refusedForMs(response(1.2345))).toBe(1235);
  expect(refusedForMs(response(1e300))).toBe(60_000);
});

it.each([
  ['loading\n  0%|  | 0/20\n 45%|####  | 9/20', 0.45],
  ['100%|##########| 20/20\n 10%|#  | 2/20', 0.1],
  ['300%|x', undefined],
  ['the scale is 50%', undefined],
])('the log %j has the progress %s', (logs, progress) => {
  expect(progressOfLogs(logs)).toEqual({ logs, ...(progress !== undefined && { progress }) });
});

it.each([null, undefined, '', 5])('the log %j has no progress', (logs) => {
  expect(progressOfLogs(logs)).toEqual({});
});
