import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import type { AdmissionControl, CallCounts } from '@holdfast/queues/admission';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { dispatcherMetrics } from '../attempt/metrics.ts';
import { openBreakers } from './breakers.ts';

const reportEveryMs = 1000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

type Code = 'MODEL_UNAVAILABLE' | 'MODEL_OVERLOADED' | 'SERVICE_UNAVAILABLE';

function refused(code: Code, retryAfterMs: number | null) {
  return { state: 'refused' as const, retryAfterMs, outcome: { ok: false as const, code, message: 'no' } };
}

function breakersOver(report: AdmissionControl['report'], maxAgeMs = 60_000) {
  const admission: Partial<AdmissionControl> = { report };
  return openBreakers({
    admission: admission as AdmissionControl,
    connections: ['p'],
    state: dispatcherMetrics(createRegistry('test')).breakers,
    log: createLogger('test', 'silent'),
    maxAgeMs,
  });
}

/** The report about a connection after these calls. */
async function reportedOf(calls: Progress[], givenMs = 600_000): Promise<CallCounts | undefined> {
  const reported: CallCounts[] = [];
  const breakers = breakersOver(async (some) => {
    reported.push(...some);
    return new Map();
  });
  for (const progress of calls) breakers.called('p', progress, { givenMs, usualMs: 600_000 });
  await jest.advanceTimersByTimeAsync(reportEveryMs);
  await breakers.stop();
  return reported[0];
}

it('an unreachable provider, and one that refuses the key, count as failed', async () => {
  const reported = await reportedOf([
    refused('MODEL_UNAVAILABLE', 1000),
    refused('SERVICE_UNAVAILABLE', null),
  ]);
  expect(reported).toEqual({ connection: 'p', ok: 0, failed: 2 });
});

it('a provider that reports itself dead is reported dead', async () => {
  const dead: Progress = { ...refused('MODEL_UNAVAILABLE', 1000), isDead: true };
  const ok: Progress = { state: 'ended', outcome: { ok: false, code: 'GENERATION_FAILED', message: 'no' } };
  expect(await reportedOf([dead, ok])).toEqual({ connection: 'p', ok: 1, failed: 1, isDead: true });
});

it('a provider that breaks down during a run counts as failed, and one whose model fails as ok', async () => {
  const ended: Progress = {
    state: 'ended',
    outcome: { ok: false, code: 'GENERATION_FAILED', message: 'no' },
  };
  expect(await reportedOf([{ ...ended, isTheirFault: true }, ended])).toMatchObject({ ok: 1, failed: 1 });
});

it('a busy provider, and one that does not know a model, keep their circuits closed', async () => {
  const reported = await reportedOf([
    refused('MODEL_OVERLOADED', 1000),
    refused('MODEL_UNAVAILABLE', null),
    { ...refused('MODEL_UNAVAILABLE', 1000), isBusy: true as const },
  ]);
  expect(reported).toBeUndefined();
});

it('a time-out counts as failed, unless the client gave the model hardly any time', async () => {
  const late: Progress = {
    state: 'unknown',
    outcome: { ok: false, code: 'GENERATION_TIMEOUT', message: 'late' },
  };
  expect(await reportedOf([late])).toMatchObject({ failed: 1 });
  expect(await reportedOf([late], 10_000)).toBeUndefined();
});

it('a circuit does not stay open for ever because Redis is unavailable', async () => {
  let isUnavailable = false;
  const breakers = breakersOver(async () => {
    if (isUnavailable) throw new Error('Redis is unavailable');
    return new Map([['p', 1]]);
  }, 2 * reportEveryMs);
  await jest.advanceTimersByTimeAsync(reportEveryMs);
  isUnavailable = true;
  await jest.advanceTimersByTimeAsync(2 * reportEveryMs);
  expect(breakers.isOpen('p')).toBe(true);
  await jest.advanceTimersByTimeAsync(reportEveryMs);
  expect(breakers.isOpen('p')).toBe(false);
  await breakers.stop();
});
