import type { Database } from '@holdfast/db/client';
import type { CatalogueModel } from '@holdfast/db/models';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { createLogger } from '@holdfast/kit/logger';
import { createShares } from '@holdfast/kit/shares';
import type { Admission, AdmissionControl, AdmissionRequest } from '@holdfast/queues/admission';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import type { PendingExecution } from './backlog.ts';
import { openLimits } from './limits.ts';
import { createScheduler } from './scheduler.ts';
import { openSlots } from './slots.ts';

const routes = ['a', 'b'].map((connection) => ({ connection, model: 'm' })) as ProviderRoute[];
const definitions: Record<string, Partial<ModelDefinition>> = {
  free: { slug: 'free', limits: {}, providers: routes },
  patient: { slug: 'patient', limits: {}, on_busy: 'wait', providers: routes },
  limited: { slug: 'limited', limits: { concurrency: 1 }, providers: routes },
  nowhere: { slug: 'nowhere', limits: { concurrency: 1 }, providers: [] },
};

/** A scheduler over this admission control, and the runs that it has started: each continues until `end`. */
function setUp(
  options: {
    size?: number;
    admit?: (request: AdmissionRequest) => Admission | Promise<Admission>;
    fails?: () => boolean;
    /** Connections that were busy. */
    busyConnections?: string[];
    /** Executions that have ended. */
    hasEnded?: (executionId: string) => boolean;
  } = {},
) {
  const { size = 8, admit = () => ({ kind: 'admitted', route: 0 }) as const } = options;
  const shares = createShares(size);
  const started = new Map<string, { route: string | undefined; end: () => void }>();
  const requested: string[] = [];
  const withdrawn: string[] = [];
  const admission: Partial<AdmissionControl> = {
    admit: async (requests) => {
      requested.push(...requests.map(({ executionId }) => executionId));
      return await Promise.all(requests.map(async (request) => await admit(request)));
    },
    withdraw: async ({ executionId }) => {
      withdrawn.push(executionId);
    },
    release: async () => {},
  };
  const slots = openSlots({
    db: {} as Database,
    admission: admission as AdmissionControl,
    limits: openLimits({ connections: {}, ownLimits: async () => new Map(), defaultLimit: null }),
    breakers: { isOpen: () => false, called() {}, stop: async () => {} },
    capacity: {
      nameOf: ({ connection }) =>
        options.busyConnections?.includes(connection) ? `route:${connection}` : undefined,
      isLearned: () => true,
      called() {},
      refused: async () => 0,
      stop: async () => {},
    },
    routeFilter: async (organizationId) => (route) =>
      organizationId !== 'org_test' || route.connection === 'b',
    catalogue: {
      find: async (model) => {
        if (options.fails?.()) throw new Error('the database is unavailable');
        const definition = definitions[model] as ModelDefinition | undefined;
        return definition ? ({ definition } as CatalogueModel) : null;
      },
      list: async () => [],
    },
  });
  const { onFreed } = slots;
  let freed: (names: readonly string[]) => void = () => {};
  slots.onFreed = (listener) => onFreed((freed = listener));
  const scheduler = createScheduler({
    shares,
    size,
    slots,
    startAttempt: async ({ executionId }, route) => {
      if (options.hasEnded?.(executionId)) return false;
      await new Promise<void>((resolve) =>
        started.set(executionId, { route: route?.connection, end: resolve }),
      );
      return true;
    },
    log: createLogger('test', 'silent'),
  });
  return { scheduler, started, requested, withdrawn, shares, free: (name: string) => freed([name]) };
}

function pending(executionId: string, part: Partial<PendingExecution> = {}): PendingExecution {
  return { executionId, organizationId: 'org_a', model: 'free', rank: 1, retry: null, ...part };
}

const many = (count: number, part: Partial<PendingExecution> = {}) =>
  Array.from({ length: count }, (_, index) => pending(`${part.organizationId ?? 'org_a'}-${index}`, part));

describe('the scheduler', () => {
  it('leaves room for an organization that comes later, however many executions another has', async () => {
    const { scheduler, started } = setUp();
    scheduler.add(many(100));
    await until('the first have started', () => started.size === 4);
    scheduler.add([pending('late', { organizationId: 'org_b' })]);
    await until('the late one has started', () => started.has('late'));
    expect(started.size).toBeLessThanOrEqual(8);
    scheduler.close();
  });

  it('sends executions only where their organization may go', async () => {
    const { scheduler, started } = setUp();
    const retry = { attemptId: 'att_1', connection: 'a', target: 'm', refusedAt: [] };
    scheduler.add([
      pending('first', { organizationId: 'org_test' }),
      pending('further', { organizationId: 'org_test', retry }),
    ]);
    await until('both have started', () => started.size === 2);
    expect([started.get('first')?.route, started.get('further')?.route]).toEqual(['b', 'b']);
    scheduler.close();
  });

  it('starts the next execution when one has ended', async () => {
    const { scheduler, started } = setUp({ size: 1 });
    scheduler.add([pending('first'), pending('second')]);
    await until('the first has started', () => started.has('first'));
    expect(started.has('second')).toBe(false);
    started.get('first')?.end();
    await until('the second has started', () => started.has('second'));
    scheduler.close();
  });

  it('starts an execution of a model without limits without a request for admission', async () => {
    const { scheduler, started, requested } = setUp();
    scheduler.add([pending('x')]);
    await until('it has started', () => started.has('x'));
    expect(requested).toEqual([]);
    expect(started.get('x')?.route).toBe('a');
    scheduler.close();
  });

  it('requests admission to a provider that was busy, and whether the model waits for it', async () => {
    const requests: AdmissionRequest[] = [];
    const { scheduler, started } = setUp({
      busyConnections: ['b'],
      admit: (request) => {
        requests.push(request);
        return { kind: 'admitted', route: 0 };
      },
    });
    scheduler.add([pending('moves'), pending('stays', { model: 'patient' })]);
    await until('both have started', () => started.size === 2);
    expect(requests.map(({ stays }) => stays)).toEqual([false, true]);
    expect(requests[0]?.routes).toMatchObject([
      { connection: 'a' },
      { connection: 'b', capacity: 'route:b' },
    ]);
    scheduler.close();
  });

  it('starts an execution at a route with room, and one without room waits without delaying others', async () => {
    let isOpen = false;
    const { scheduler, started } = setUp({
      admit: () =>
        isOpen ? { kind: 'admitted', route: 1 } : { kind: 'full', name: 'model:limited', waitMs: 20 },
    });
    scheduler.add([pending('held', { model: 'limited' }), pending('free')]);
    await until('the free one has started', () => started.has('free'));
    expect(started.has('held')).toBe(false);
    isOpen = true;
    await until('the other one has started', () => started.has('held'));
    expect(started.get('held')?.route).toBe('b');
    scheduler.close();
  });

  it.each([
    ['model:limited', { kind: 'full', name: 'model:limited', waitMs: 60_000 }],
    ['connection:a', { kind: 'closed', waitMs: 60_000 }],
    ['route:a m', { kind: 'closed', waitMs: 60_000 }],
  ] as const)('fills a slot of %s as soon as it is freed', async (name, full) => {
    let isFree = false;
    const { scheduler, started, requested, free } = setUp({
      admit: () => (isFree ? { kind: 'admitted', route: 0 } : full),
    });
    scheduler.add([pending('x', { model: 'limited' })]);
    await until('it is put back', () => requested.length === 1 && scheduler.waiting() === 1);
    isFree = true;
    free(name);
    await until('it has started', () => started.has('x'), 500);
    scheduler.close();
  });

  it('drops an execution that another dispatcher has', async () => {
    const { scheduler, requested, shares } = setUp({ admit: () => ({ kind: 'taken' }) });
    scheduler.add([pending('x', { model: 'limited' })]);
    await until('its admission was requested', () => requested.length === 1);
    await until('it is forgotten', () => scheduler.waiting() === 0 && shares.taken() === 0);
    scheduler.close();
  });

  it('loses no execution while the database is unavailable', async () => {
    let isUnavailable = true;
    const { scheduler, started } = setUp({ fails: () => isUnavailable });
    scheduler.add([pending('x')]);
    await until('it is put back', () => scheduler.waiting() === 1);
    isUnavailable = false;
    await until('it has started', () => started.has('x'));
    scheduler.close();
  });

  it('starts an execution of an unknown model without a route', async () => {
    const { scheduler, started } = setUp();
    scheduler.add([pending('x', { model: 'gone' })]);
    await until('it has started', () => started.has('x'));
    expect(started.get('x')?.route).toBeUndefined();
    scheduler.close();
  });

  it('starts an execution without any route whatever is full, so that it fails', async () => {
    const admit = () => ({ kind: 'closed', waitMs: 60_000 }) as const;
    const { scheduler, started, requested } = setUp({ admit });
    scheduler.add([pending('x', { model: 'nowhere' })]);
    await until('it has started', () => started.has('x'));
    expect(requested).toEqual([]);
    scheduler.close();
  });

  it('gives the only slot to a live execution, however many others ended while they waited', async () => {
    const counted = new Set<string>();
    const { scheduler, started, withdrawn, requested } = setUp({
      hasEnded: (id) => id.startsWith('org_a'),
      admit: ({ executionId }) => {
        if (counted.size > withdrawn.length) return { kind: 'full', name: 'model:limited', waitMs: 60_000 };
        counted.add(executionId);
        return { kind: 'admitted', route: 0 };
      },
    });
    scheduler.add([...many(200, { model: 'limited' }), pending('live', { model: 'limited' })]);
    await until('the live one has started', () => started.has('live'));
    expect(withdrawn).toHaveLength(200);
    // A few requests for each execution, whatever their number.
    expect(requested.length).toBeLessThan(201 * 8);
    scheduler.close();
  });

  it('lets retries that wait for one provider delay no execution for another', async () => {
    const retry = { attemptId: 'att', connection: 'b', target: 'm', refusedAt: [] };
    const { scheduler, started } = setUp({
      admit: ({ routes: [first] }) =>
        first?.connection === 'b' ? { kind: 'closed', waitMs: 60_000 } : { kind: 'admitted', route: 0 },
    });
    scheduler.add([...many(200, { model: 'limited', retry }), pending('fresh', { model: 'limited' })]);
    await until('the fresh one has started', () => started.has('fresh'), 900);
    scheduler.close();
  });

  it('holds no slot and starts nothing once it is closed', async () => {
    const admission = Promise.withResolvers<Admission>();
    const { scheduler, started, shares, withdrawn } = setUp({ admit: () => admission.promise });
    scheduler.add(many(1, { model: 'limited' }));
    await until('its admission is requested', () => shares.taken() === 1);
    scheduler.add(many(3, { organizationId: 'org_b' }));
    scheduler.close();
    admission.resolve({ kind: 'admitted', route: 0 });
    await shares.idle();
    expect(started.size).toBe(0);
    expect(withdrawn).toEqual(['org_a-0']);
  });
});
