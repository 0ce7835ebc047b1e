import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AdmissionControl,
  type AdmissionRequest,
  type CapacityRefusal,
  type Limits,
  openAdmissionControl,
  readForeignLimits,
} from './admission.ts';
import { connectProducer, type Redis } from './connection.ts';

const none: Limits = { scopes: [], rates: [] };
const most = (name: string, count: number): Limits => ({ scopes: [{ name, most: count }], rates: [] });
const perMinute = (name: string, count: number): Limits => ({
  scopes: [],
  rates: [{ name, perMinute: count }],
});

let redis: Redis;
/** Two dispatchers. */
let desk: AdmissionControl;
let other: AdmissionControl;
let second: Redis;

beforeAll(async () => {
  [redis, second] = [connectProducer(testRedisUrl(), log), connectProducer(testRedisUrl(), log)];
  await until('Redis is there', () => redis.status === 'ready' && second.status === 'ready');
  [desk, other] = [openAdmissionControl(redis), openAdmissionControl(second)];
});
beforeEach(() => emptyRedis(testRedisUrl()));
afterAll(() => {
  redis.disconnect();
  second.disconnect();
});

const log = createLogger('test', 'silent');

let requestCount = 0;
const queue = 'org_1 1';
function ask(
  executionId: string,
  limits: Limits = none,
  routes: [string, Limits][] = [['p', none]],
): AdmissionRequest {
  requestCount += 1;
  const limitedRoutes = routes.map(([connection, one]) => ({ connection, limits: one }));
  const mark = `${executionId} ${requestCount}`;
  return { executionId, queue, mark, limits, routes: limitedRoutes, stays: false };
}

const kinds = (responses: { kind: string }[]) => responses.map(({ kind }) => kind);

describe('limits that dispatchers share', () => {
  it('are never exceeded, whichever dispatchers request slots and however many at once', async () => {
    const asks = Array.from({ length: 40 }, (_, index) => ask(`e${index}`, most('model:m', 7)));
    const responses = await Promise.all(asks.map((one, index) => (index % 2 ? desk : other).admit([one])));
    expect(kinds(responses.flat()).filter((kind) => kind === 'admitted')).toHaveLength(7);
    expect(responses.flat().find(({ kind }) => kind === 'full')).toMatchObject({ name: 'model:m' });
  });

  it('have room again after a run has released its slots', async () => {
    const limits = most('model:m', 1);
    expect(kinds(await desk.admit([ask('a', limits), ask('b', limits)]))).toEqual(['admitted', 'full']);
    await other.release([{ executionId: 'a', names: ['model:m'] }]);
    expect(kinds(await desk.admit([ask('b', limits)]))).toEqual(['admitted']);
  });

  it('count a run once, and a second request for it learns that a dispatcher has it', async () => {
    const limits = most('model:m', 5);
    await desk.admit([ask('a', limits)]);
    expect(kinds(await other.admit([ask('a', limits)]))).toEqual(['taken']);
  });

  it('count no run that is not admitted', async () => {
    const both: Limits = {
      scopes: [...most('model:m', 5).scopes, ...most('organization:o', 1).scopes],
      rates: [],
    };
    await desk.admit([ask('a', both), ask('b', both), ask('c', both)]);
    await desk.release([{ executionId: 'a', names: ['model:m', 'organization:o'] }]);
    expect(await redis.zcard('{holdfast-limits}:runs:model:m')).toBe(0);
  });

  it('of starts per minute are respected, and return when there is room again', async () => {
    const limits = perMinute('model:m', 3);
    const responses = await desk.admit(['a', 'b', 'c', 'd'].map((id) => ask(id, limits)));
    expect(kinds(responses)).toEqual(['admitted', 'admitted', 'admitted', 'full']);
    const [, , , refused] = responses;
    expect(refused?.kind === 'full' && refused.waitMs).toBeGreaterThan(50_000);
    expect(kinds(await other.admit([ask('e', limits)]))).toEqual(['full']);
  });

  it('of one provider let a run go to the next one with room', async () => {
    const routes: [string, Limits][] = [
      ['first', most('connection:first', 1)],
      ['second', most('connection:second', 1)],
    ];
    const responses = await desk.admit(['a', 'b', 'c'].map((id) => ask(id, none, routes)));
    expect(responses.slice(0, 2)).toEqual([
      { kind: 'admitted', route: 0 },
      { kind: 'admitted', route: 1 },
    ]);
    expect(responses[2]).toMatchObject({ kind: 'closed' });
  });
});

describe('a run that was admitted and did not start', () => {
  it('releases its slots and its start of the minute to another run', async () => {
    const once = (name: string): Limits => ({ ...most(name, 1), rates: perMinute(name, 1).rates });
    const limits = once('model:m');
    const routes: [string, Limits][] = [['p', once('connection:p')]];
    const gone = ask('gone', limits, routes);
    expect(kinds(await desk.admit([gone, ask('next', limits, routes)]))).toEqual(['admitted', 'full']);
    await desk.withdraw(gone, 0);
    expect(kinds(await other.admit([ask('next', limits, routes)]))).toEqual(['admitted']);
  });

  it('releases no slots of a concurrent request for the same run', async () => {
    const limits = perMinute('model:m', 2);
    const stale = ask('a', limits);
    expect(kinds(await desk.admit([ask('a', limits), stale]))).toEqual(['admitted', 'admitted']);
    await desk.withdraw(stale, 0);
    expect(kinds(await desk.admit([ask('b', limits), ask('c', limits)]))).toEqual(['admitted', 'full']);
  });

  it('releases the probe of a provider to another run', async () => {
    await desk.report([{ connection: 'p', ok: 0, failed: 10 }]);
    await redis.hset('{holdfast-limits}:breakers', 'p', String(Date.now() - 1));
    const [gone, second] = [ask('gone'), ask('second')];
    expect(kinds(await desk.admit([gone, second]))).toEqual(['admitted', 'closed']);
    await desk.withdraw(gone, 0);
    expect(kinds(await other.admit([second]))).toEqual(['admitted']);
    await desk.withdraw(gone, 0);
    expect(kinds(await other.admit([ask('third')]))).toEqual(['closed']);
  });
});

describe('the recount of runs in progress', () => {
  it('finds every run after Redis was emptied', async () => {
    const open = new Map([['model:m', new Set(['a', 'b'])]]);
    expect(await desk.reconcile(open)).toEqual(open);
    await desk.count(open);
    expect(kinds(await desk.admit([ask('c', most('model:m', 2)), ask('a', most('model:m', 2))]))).toEqual([
      'full',
      'taken',
    ]);
  });

  it('removes a limit that it created when its runs have ended and none has released its slots', async () => {
    await desk.count(new Map([['model:m', new Set(['a'])]]));
    expect(kinds(await desk.admit([ask('b', most('model:m', 1))]))).toEqual(['full']);
    await desk.reconcile(new Map());
    expect(kinds(await desk.admit([ask('b', most('model:m', 1))]))).toEqual(['admitted']);
  });

  it('counts no run that ended during the query', async () => {
    const limits = most('model:m', 1);
    await desk.admit([ask('a', limits)]);
    const open = new Map([['model:m', new Set(['a'])]]);
    await desk.release([{ executionId: 'a', names: ['model:m'] }]);
    await other.reconcile(open);
    expect(kinds(await desk.admit([ask('b', limits)]))).toEqual(['admitted']);
  });

  it('releases the slots of a dead dispatcher, and none of a run that has just started', async () => {
    await desk.admit([ask('new', most('model:m', 5))]);
    await redis.zadd('{holdfast-limits}:runs:model:m', String(Date.now() - 60_000), 'dead');
    await other.reconcile(new Map());
    expect(await redis.zrange('{holdfast-limits}:runs:model:m', '0', '-1')).toEqual(['new']);
  });
});

describe('the circuit of a provider', () => {
  const calls = (ok: number, failed: number) => [{ connection: 'p', ok, failed }];

  it('opens when half of ten calls of all dispatchers together have failed', async () => {
    expect((await desk.report(calls(4, 4))).size).toBe(0);
    expect((await other.report(calls(1, 1))).has('p')).toBe(true);
    expect((await desk.report([])).has('p')).toBe(true);
    expect(await desk.admit([ask('a')])).toEqual([
      { kind: 'closed', waitMs: expect.any(Number) as unknown as number },
    ]);
  });

  it('stays closed when fewer calls fail, or fewer were made', async () => {
    expect((await desk.report(calls(0, 9))).size).toBe(0);
    expect((await desk.report(calls(20, 3))).size).toBe(0);
  });

  it('opens at once for a provider that reports that it cannot run anything', async () => {
    await desk.report(calls(30, 0));
    const opened = await desk.report([{ connection: 'p', ok: 0, failed: 1, isDead: true }]);
    expect(opened.get('p')).toBeGreaterThan(Date.now());
  });

  it('sends runs to the next provider while it is open', async () => {
    await desk.report(calls(0, 10));
    const responses = await desk.admit([
      ask('a', none, [
        ['p', none],
        ['q', none],
      ]),
    ]);
    expect(responses).toEqual([{ kind: 'admitted', route: 1 }]);
  });

  it('admits one probe after its pause, whose success closes it and whose failure opens it again', async () => {
    await desk.report(calls(0, 10));
    const over = () => redis.hset('{holdfast-limits}:breakers', 'p', String(Date.now() - 1));
    await over();
    expect(kinds(await desk.admit([ask('a'), ask('b')]))).toEqual(['admitted', 'closed']);
    const opened = await other.report(calls(0, 1));
    expect(opened.get('p')).toBeGreaterThan(Date.now());
    expect(kinds(await desk.admit([ask('b')]))).toEqual(['closed']);
    await over();
    expect(kinds(await desk.admit([ask('b'), ask('c')]))).toEqual(['admitted', 'closed']);
    expect((await desk.report(calls(1, 0))).size).toBe(0);
    expect(kinds(await desk.admit([ask('c'), ask('d')]))).toEqual(['admitted', 'admitted']);
  });
});

describe('the learned capacity of a provider', () => {
  const name = 'route:p m';
  const capacities = '{holdfast-limits}:capacity';
  const routes = (...names: string[]): AdmissionRequest['routes'] =>
    names.map((one) => ({ connection: one, limits: none, capacity: `route:${one} m` }));
  const requestFor = (executionId: string, ...names: string[]): AdmissionRequest => ({
    ...ask(executionId),
    routes: routes(...(names.length > 0 ? names : ['p'])),
  });
  const refused = (executionId: string, part: Partial<CapacityRefusal> = {}) =>
    desk.refused({ name, executionId, queue, retryAfterMs: 0, mayHaveRun: false, jitter: 1, ...part });
  type Learned = { most: number; untilMs: number; growsMs: number; stepMs: number; seenMs: number };
  const learned = async () => JSON.parse((await redis.hget(capacities, name)) ?? 'null') as Learned;
  const change = async (part: Partial<Learned>) =>
    await redis.hset(capacities, name, JSON.stringify({ ...(await learned()), ...part }));
  const pauseIsOver = () => change({ untilMs: 0 });

  it('is the number of open runs at a refusal, whichever dispatcher sent them', async () => {
    expect(await refused('d', { open: ['a', 'b', 'c', 'd'] })).toMatchObject({ most: 3 });
    expect(await other.capacities([])).toEqual(new Map([[name, 3]]));
    await pauseIsOver();
    expect(kinds(await other.admit([requestFor('d')]))).toEqual(['closed']);
    await other.release([{ executionId: 'a', names: [name] }]);
    expect(kinds(await other.admit([requestFor('d'), requestFor('e')]))).toEqual(['admitted', 'closed']);
  });

  it('decreases with each refusal, and never below one', async () => {
    const open = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all = [await refused('f', { open }), await refused('e'), await refused('d'), await refused('c')];
    expect(all.map(({ most: count }) => count)).toEqual([5, 4, 3, 2]);
    await refused('b');
    expect(await refused('a')).toMatchObject({ most: 1 });
  });

  it('pauses the provider for as long as it requests, or for longer each time', async () => {
    expect((await refused('a', { retryAfterMs: 30_000 })).waitMs).toBe(30_000);
    const [response] = await other.admit([requestFor('b')]);
    expect(response?.kind === 'closed' && response.waitMs).toBeGreaterThan(29_000);
    await redis.del(capacities);
    const waits = [];
    for (let time = 0; time < 6; time += 1) {
      waits.push((await refused('a')).waitMs);
      await pauseIsOver();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
    await desk.capacities([name]);
    expect((await refused('a')).waitMs).toBe(1000);
  });

  it('pauses the provider for longer each time that it refuses the one run that it is tried with, however quickly', async () => {
    await refused('a');
    const waits = [];
    for (let time = 0; time < 3; time += 1) {
      await pauseIsOver();
      expect(kinds(await desk.admit([requestFor('b')]))).toEqual(['admitted']);
      waits.push((await refused('b')).waitMs);
    }
    expect(waits).toEqual([2000, 4000, 8000]);
  });

  describe('after a pause', () => {
    const admitted = async (by: AdmissionControl, request: AdmissionRequest, endedAgoMs = 0) => {
      const [seconds, micros] = await redis.time();
      await change({ untilMs: Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - endedAgoMs });
      return kinds(await by.admit([request]))[0];
    };
    const release = (executionId: string) => desk.release([{ executionId, names: [name] }]);

    it('is tried with the oldest refused execution, not with a younger one of its queue, whichever dispatcher asks', async () => {
      await refused('c');
      await refused('b');
      expect(await admitted(other, requestFor('d'))).toBe('closed');
      expect(await admitted(other, requestFor('c'))).toBe('closed');
      expect(await admitted(desk, requestFor('b'))).toBe('admitted');
      await release('b');
      expect(await admitted(other, requestFor('d'))).toBe('closed');
      expect(await admitted(other, requestFor('c'))).toBe('admitted');
      await release('c');
      expect(await admitted(other, requestFor('d'))).toBe('admitted');
    });

    it('is tried with older executions, and with those of other organizations and priorities', async () => {
      for (const request of [requestFor('a'), { ...requestFor('d'), queue: 'org_2 1' }]) {
        await refused('b');
        expect(await admitted(desk, request)).toBe('admitted');
        await release(request.executionId);
      }
    });

    it('is tried with any execution when the refused one does not come within a second', async () => {
      await refused('b');
      expect(await admitted(desk, requestFor('c'), 2000)).toBe('admitted');
      await release('c');
      expect(await admitted(desk, requestFor('d'))).toBe('admitted');
    });
  });

  it('counts concurrent refusals as one', async () => {
    const open = ['a', 'b', 'c', 'd'];
    const [, , last] = await Promise.all([refused('a', { open }), refused('b'), refused('c')]);
    expect(last.waitMs).toBeLessThanOrEqual(1000);
  });

  it('admits one run at a time until one is accepted, then as many as the capacity allows', async () => {
    await refused('d', { open: ['a', 'b', 'c', 'd'] });
    await desk.release(['a', 'b', 'c'].map((executionId) => ({ executionId, names: [name] })));
    await pauseIsOver();
    expect(kinds(await desk.admit([requestFor('e'), requestFor('f')]))).toEqual(['admitted', 'closed']);
    await desk.capacities([name]);
    await pauseIsOver();
    expect(kinds(await desk.admit(['f', 'g', 'h'].map((id) => requestFor(id))))).toEqual([
      'admitted',
      'admitted',
      'closed',
    ]);
  });

  it('admits the next run at once when an admitted one did not start', async () => {
    await refused('a');
    await pauseIsOver();
    const gone = requestFor('gone');
    expect(kinds(await desk.admit([gone, requestFor('b')]))).toEqual(['admitted', 'closed']);
    await desk.withdraw(gone, 0);
    expect(kinds(await desk.admit([requestFor('b')]))).toEqual(['admitted']);
  });

  it('grows by one while it is used up and runs are accepted, and more slowly after each refusal', async () => {
    await refused('b', { open: ['a', 'b'] });
    await pauseIsOver();
    expect(kinds(await desk.admit([requestFor('b')]))).toEqual(['closed']);
    expect((await desk.capacities([name])).get(name)).toBe(1);
    const { growsMs, stepMs } = await learned();
    await change({ growsMs: 0 });
    expect((await desk.capacities([])).get(name)).toBe(1);
    expect((await desk.capacities([name])).get(name)).toBe(2);
    expect((await desk.capacities([name])).get(name)).toBe(2);
    expect(kinds(await desk.admit([requestFor('b')]))).toEqual(['admitted']);
    expect((await refused('b')).most).toBe(1);
    const after = await learned();
    expect(after.stepMs).toBe(2 * stepMs);
    expect(after.growsMs - growsMs).toBeGreaterThanOrEqual(stepMs);
  });

  it('grows by a quarter when it is large', async () => {
    const open = Array.from({ length: 41 }, (_, index) => `e${index}`);
    await refused('e40', { open });
    await pauseIsOver();
    await desk.admit([requestFor('x')]);
    await change({ growsMs: 0 });
    expect((await desk.capacities([name])).get(name)).toBe(50);
  });

  it('sends a run to another provider with room, unless the run must stay', async () => {
    await refused('b', { open: ['a', 'b'] });
    const both = requestFor('b', 'p', 'q');
    expect(await desk.admit([{ ...both, stays: true }])).toMatchObject([{ kind: 'closed' }]);
    expect(await desk.admit([both])).toEqual([{ kind: 'admitted', route: 1 }]);
  });

  it('keeps counting a run that may have been accepted', async () => {
    await refused('a', { mayHaveRun: true, open: ['a'] });
    await pauseIsOver();
    expect(kinds(await desk.admit([requestFor('b')]))).toEqual(['closed']);
  });

  it('is removed when no run has used it for long', async () => {
    await refused('a');
    await change({ seenMs: 1 });
    expect((await desk.capacities([])).size).toBe(0);
    expect(kinds(await desk.admit([requestFor('a'), requestFor('b')]))).toEqual(['admitted', 'admitted']);
  });
});

describe('a key of the limits that something else has written', () => {
  const names = [
    'names',
    'breakers',
    'probes',
    'probed',
    'capacity',
    'foreign',
    'runs:model:m',
    'begun:model:m',
  ];

  async function admitted(dispatcher: AdmissionControl, request: AdmissionRequest) {
    return (await dispatcher.admit([request]))[0]?.kind;
  }

  it.each(names)('is passed by, and the limits hold without it: %s', async (name) => {
    const key = `{holdfast-limits}:${name}`;
    await redis.rpush(key, 'x');
    const limits: Limits = { ...most('model:m', 1), rates: [{ name: 'model:m', perMinute: 2 }] };
    expect(await admitted(desk, ask('e1', limits))).toBe('admitted');
    expect(await admitted(other, ask('e2', limits))).toBe('full');
    await desk.release([{ executionId: 'e1', names: ['model:m'] }]);
    expect(await admitted(other, ask('e3', limits))).toBe('admitted');
    expect(await desk.reconcile(new Map([['model:m', new Set(['e3'])]]))).toEqual(new Map());
    expect(await desk.report([{ connection: 'p', ok: 0, failed: 1, isDead: true }])).toHaveProperty(
      'size',
      1,
    );
    const refusal = { name: 'route:p m', executionId: 'e3', queue, mayHaveRun: false, jitter: 1 };
    await desk.refused({ ...refusal, retryAfterMs: 0 });
    expect([...(await desk.capacities([])).keys()]).toEqual(['route:p m']);
    expect(await redis.lrange(key, 0, -1)).toEqual(['x']);
  });

  it.each(names)('is reported until it is gone: %s', async (name) => {
    const key = `{holdfast-limits}:${name}`;
    await redis.rpush(key, 'x');
    await desk.admit([ask('e1', { ...most('model:m', 1), rates: [{ name: 'model:m', perMinute: 2 }] })]);
    expect(await readForeignLimits(redis)).toMatchObject([{ key, type: 'list' }]);
    await redis.del(key);
    expect(await readForeignLimits(redis)).toEqual([]);
  });
});
