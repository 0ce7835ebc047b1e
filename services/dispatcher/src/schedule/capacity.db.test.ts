import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import type { Progress } from '@holdfast/providers/interface';
import type { AdmissionControl, CapacityRefusal } from '@holdfast/queues/admission';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { dispatcherMetrics } from '../attempt/metrics.ts';
import { type Capacity, openCapacity } from './capacity.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

const opened: Capacity[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((capacity) => capacity.stop()));
});

const at = { connection: 'gpu', target: 'acme/writer v2' };
const name = 'route:gpu acme/writer v2';
const run = {
  ...at,
  executionId: 'exec_1',
  organizationId: 'org_1',
  priority: 1,
  busyRefusals: 0,
  mayHaveRun: false,
};
const accepted: Progress = { state: 'running', handle: { externalId: 'x' }, by: 'poll', pollAfterMs: 1 };

/** A capacity over this admission control, and its metrics. */
function setUp(admission: Partial<AdmissionControl>) {
  const registry = createRegistry('test');
  const learned = dispatcherMetrics(registry).capacity;
  const log = createLogger('test', 'silent');
  const capacity = openCapacity({ db, admission: admission as AdmissionControl, learned, log });
  opened.push(capacity);
  return { capacity, registry };
}

const unavailable = async () => {
  throw new Error('Redis is unavailable');
};

it('a provider that was never busy has no capacity to count runs against', async () => {
  const { capacity } = setUp({ capacities: async () => new Map() });
  expect([capacity.nameOf(at), capacity.isLearned()]).toEqual([undefined, false]);
});

it('the first refusal sets the capacity from the open runs in the database, and the metric shows it', async () => {
  const refusals: CapacityRefusal[] = [];
  const { capacity, registry } = setUp({
    refused: async (refusal) => {
      refusals.push(refusal);
      return { most: 3, waitMs: 1500 };
    },
    capacities: async () => new Map([[name, 3]]),
  });
  expect(await capacity.refused(run, 1000)).toBe(1500);
  await capacity.refused(run, 1000);
  expect(refusals.map(({ open }) => open)).toEqual([[], undefined]);
  expect(refusals[0]).toMatchObject({ name, executionId: 'exec_1', queue: 'org_1 1', retryAfterMs: 1000 });
  expect(capacity.nameOf(at)).toBe(name);
  expect(await registry.metrics()).toMatch(
    /^holdfast_provider_capacity\{.*connection="gpu",model="acme\/writer v2".*\} 3$/m,
  );
});

it('accepted runs are reported for providers that were busy', async () => {
  const reported: string[][] = [];
  const { capacity } = setUp({
    refused: async () => ({ most: 1, waitMs: 1 }),
    capacities: async (names) => {
      reported.push(names);
      return new Map([[name, 1]]);
    },
  });
  await capacity.refused(run, 0);
  capacity.called(at, accepted);
  capacity.called({ ...at, target: 'other' }, accepted);
  await until('it was reported', () => reported.length > 0);
  expect(reported[0]).toEqual([name]);
});

it('each run backs off by itself while Redis is unavailable, and never for less than Retry-After', async () => {
  const { capacity } = setUp({ refused: unavailable, capacities: unavailable });
  const pauses = [];
  for (const busyRefusals of [0, 1, 2, 3, 4, 9])
    pauses.push(await capacity.refused({ ...run, busyRefusals }, 0));
  const expected = [1000, 2000, 4000, 8000, 15_000, 15_000];
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(0.9 * (expected[index] ?? 0));
    expect(pause).toBeLessThanOrEqual(1.1 * (expected[index] ?? 0));
  }
  expect(await capacity.refused(run, 60_000)).toBe(60_000);
});
