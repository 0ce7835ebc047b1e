import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import { createLogger } from '@holdfast/kit/logger';
import { createShares } from '@holdfast/kit/shares';
import type { Admission, AdmissionControl, AdmissionRequest } from '@holdfast/queues/admission';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import type { Waiting } from './backlog.ts';
import { openLimits } from './limits.ts';
import { createScheduler } from './scheduler.ts';

const routes = ['a', 'b'].map((connection) => ({ connection, model: 'm' })) as ProviderRoute[];
const definitions: Record<string, Partial<ModelDefinition>> = {
  free: { slug: 'free', limits: {}, providers: routes },
  patient: { slug: 'patient', limits: {}, on_busy: 'wait', providers: routes },
  limited: { slug: 'limited', limits: { concurrency: 1 }, providers: routes },
  nowhere: { slug: 'nowhere', limits: { concurrency: 1 }, providers: [] },
};

/** A scheduler over a desk that answers as told, and the runs that it has begun: each goes on until it is ended. */
function setUp(
  part: {
    size?: number;
    answer?: (ask: AdmissionRequest) => Admission | Promise<Admission>;
    fails?: () => boolean;
    /** Connections that were busy. */
    learned?: string[];
    /** Of these nothing is left to begin. */
    isGone?: (executionId: string) => boolean;
  } = {},
) {
  const { size = 8, answer = () => ({ kind: 'admitted', route: 0 }) as const } = part;
  const shares = createShares(size);
  const begun = new Map<string, { route: string | undefined; end: () => void }>();
  const asked: string[] = [];
  const withdrawn: string[] = [];
  const desk = {
    admit: async (asks: AdmissionRequest[]) => {
      asked.push(...asks.map(({ executionId }) => executionId));
      return await Promise.all(asks.map(async (ask) => await answer(ask)));
    },
    withdraw: async ({ executionId }: AdmissionRequest) => {
      withdrawn.push(executionId);
    },
  } as Partial<AdmissionControl> as AdmissionControl;
  const scheduler = createScheduler({
    shares,
    size,
    desk,
    limits: openLimits({ connections: {}, own: async () => new Map(), usual: null }),
    breakers: { isOpen: () => false, called() {}, stop: async () => {} },
    capacity: {
      nameOf: ({ connection }) => (part.learned?.includes(connection) ? `route:${connection}` : undefined),
      isLearned: () => true,
      called() {},
      refused: async () => 0,
      stop: async () => {},
    },
    openTo: async (organizationId) => (route) => organizationId !== 'org_test' || route.connection === 'b',
    definitionOf: async (model) => {
      if (part.fails?.()) throw new Error('the database is away');
      return (definitions[model] as ModelDefinition) ?? null;
    },
    begin: async ({ executionId }, route) => {
      if (part.isGone?.(executionId)) return false;
      await new Promise<void>((resolve) =>
        begun.set(executionId, { route: route?.connection, end: resolve }),
      );
      return true;
    },
    log: createLogger('test', 'silent'),
  });
  return { scheduler, begun, asked, withdrawn, shares };
}

function waiting(executionId: string, part: Partial<Waiting> = {}): Waiting {
  return { executionId, organizationId: 'org_a', model: 'free', rank: 1, again: null, ...part };
}

const many = (count: number, part: Partial<Waiting> = {}) =>
  Array.from({ length: count }, (_, index) => waiting(`${part.organizationId ?? 'org_a'}-${index}`, part));

describe('the scheduler', () => {
  it('leaves room for an organization that comes later, however many another has', async () => {
    const { scheduler, begun } = setUp();
    scheduler.add(many(100));
    await until('the first have begun', () => begun.size === 4);
    scheduler.add([waiting('late', { organizationId: 'org_b' })]);
    await until('the late one has begun', () => begun.has('late'));
    expect(begun.size).toBeLessThanOrEqual(8);
    scheduler.close();
  });

  it('sends the runs of an organization where it may go alone', async () => {
    const { scheduler, begun } = setUp();
    const again = { attemptId: 'att_1', connection: 'a', target: 'm', refusedAt: [] };
    scheduler.add([
      waiting('first', { organizationId: 'org_test' }),
      waiting('further', { organizationId: 'org_test', again }),
    ]);
    await until('both have begun', () => begun.size === 2);
    expect([begun.get('first')?.route, begun.get('further')?.route]).toEqual(['b', 'b']);
    scheduler.close();
  });

  it('begins the next when one has ended', async () => {
    const { scheduler, begun } = setUp({ size: 1 });
    scheduler.add([waiting('first'), waiting('second')]);
    await until('the first has begun', () => begun.has('first'));
    expect(begun.has('second')).toBe(false);
    begun.get('first')?.end();
    await until('the second has begun', () => begun.has('second'));
    scheduler.close();
  });

  it('asks nobody about a model without limits', async () => {
    const { scheduler, begun, asked } = setUp();
    scheduler.add([waiting('x')]);
    await until('it has begun', () => begun.has('x'));
    expect(asked).toEqual([]);
    expect(begun.get('x')?.route).toBe('a');
    scheduler.close();
  });

  it('asks about a provider that was busy, and says whether the model waits for it', async () => {
    const asks: AdmissionRequest[] = [];
    const { scheduler, begun } = setUp({
      learned: ['b'],
      answer: (ask) => {
        asks.push(ask);
        return { kind: 'admitted', route: 0 };
      },
    });
    scheduler.add([waiting('moves'), waiting('stays', { model: 'patient' })]);
    await until('both have begun', () => begun.size === 2);
    expect(asks.map(({ stays }) => stays)).toEqual([false, true]);
    expect(asks[0]?.routes).toMatchObject([{ connection: 'a' }, { connection: 'b', capacity: 'route:b' }]);
    scheduler.close();
  });

  it('sends a run where there is room, and lets what finds none wait without holding up others', async () => {
    let isOpen = false;
    const { scheduler, begun } = setUp({
      answer: () =>
        isOpen ? { kind: 'admitted', route: 1 } : { kind: 'full', name: 'model:limited', waitMs: 20 },
    });
    scheduler.add([waiting('held', { model: 'limited' }), waiting('free')]);
    await until('the free one has begun', () => begun.has('free'));
    expect(begun.has('held')).toBe(false);
    isOpen = true;
    await until('the other one has begun', () => begun.has('held'));
    expect(begun.get('held')?.route).toBe('b');
    scheduler.close();
  });

  it.each([
    ['model:limited', { kind: 'full', name: 'model:limited', waitMs: 60_000 }],
    ['connection:a', { kind: 'closed', waitMs: 60_000 }],
    ['route:a m', { kind: 'closed', waitMs: 60_000 }],
  ] as const)('fills a place under %s as soon as it is free', async (name, full) => {
    let isFree = false;
    const { scheduler, begun, asked } = setUp({
      answer: () => (isFree ? { kind: 'admitted', route: 0 } : full),
    });
    scheduler.add([waiting('x', { model: 'limited' })]);
    await until('it is put back', () => asked.length === 1 && scheduler.waiting() === 1);
    isFree = true;
    scheduler.wake([name]);
    await until('it has begun', () => begun.has('x'), 500);
    scheduler.close();
  });

  it('drops what somebody else has', async () => {
    const { scheduler, asked, shares } = setUp({ answer: () => ({ kind: 'taken' }) });
    scheduler.add([waiting('x', { model: 'limited' })]);
    await until('it was asked about', () => asked.length === 1);
    await until('it is forgotten', () => scheduler.waiting() === 0 && shares.taken() === 0);
    scheduler.close();
  });

  it('loses nothing while the database is away', async () => {
    let isAway = true;
    const { scheduler, begun } = setUp({ fails: () => isAway });
    scheduler.add([waiting('x')]);
    await until('it is put back', () => scheduler.waiting() === 1);
    isAway = false;
    await until('it has begun', () => begun.has('x'));
    scheduler.close();
  });

  it('begins a run of an unknown model without a provider', async () => {
    const { scheduler, begun } = setUp();
    scheduler.add([waiting('x', { model: 'gone' })]);
    await until('it has begun', () => begun.has('x'));
    expect(begun.get('x')?.route).toBeUndefined();
    scheduler.close();
  });

  it('begins a run that can be sent nowhere, so that it fails, whatever is full', async () => {
    const answer = () => ({ kind: 'closed', waitMs: 60_000 }) as const;
    const { scheduler, begun, asked } = setUp({ answer });
    scheduler.add([waiting('x', { model: 'nowhere' })]);
    await until('it has begun', () => begun.has('x'));
    expect(asked).toEqual([]);
    scheduler.close();
  });

  it('lets what has ended while it waited keep nobody from the only place, however much there is of it', async () => {
    const counted = new Set<string>();
    const { scheduler, begun, withdrawn, asked } = setUp({
      isGone: (id) => id.startsWith('org_a'),
      answer: ({ executionId }) => {
        if (counted.size > withdrawn.length) return { kind: 'full', name: 'model:limited', waitMs: 60_000 };
        counted.add(executionId);
        return { kind: 'admitted', route: 0 };
      },
    });
    scheduler.add([...many(200, { model: 'limited' }), waiting('live', { model: 'limited' })]);
    await until('the live one has begun', () => begun.has('live'));
    expect(withdrawn).toHaveLength(200);
    // A handful of questions each, whatever their number.
    expect(asked.length).toBeLessThan(201 * 8);
    scheduler.close();
  });

  it('lets tries that wait for one provider keep nobody from another', async () => {
    const again = { attemptId: 'att', connection: 'b', target: 'm', refusedAt: [] };
    const { scheduler, begun } = setUp({
      answer: ({ routes: asked }) =>
        asked[0]?.connection === 'b' ? { kind: 'closed', waitMs: 60_000 } : { kind: 'admitted', route: 0 },
    });
    scheduler.add([...many(200, { model: 'limited', again }), waiting('fresh', { model: 'limited' })]);
    await until('the fresh one has begun', () => begun.has('fresh'), 900);
    scheduler.close();
  });

  it('holds no place, and begins nothing, once it is closed', async () => {
    let answer: (admission: Admission) => void = () => {};
    const asked = new Promise<Admission>((resolve) => (answer = resolve));
    const { scheduler, begun, shares, withdrawn } = setUp({ answer: () => asked });
    scheduler.add(many(1, { model: 'limited' }));
    await until('it is asked about', () => shares.taken() === 1);
    scheduler.add(many(3, { organizationId: 'org_b' }));
    scheduler.close();
    answer({ kind: 'admitted', route: 0 });
    await shares.idle();
    expect(begun.size).toBe(0);
    expect(withdrawn).toEqual(['org_a-0']);
  });
});
