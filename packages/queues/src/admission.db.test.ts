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

let asked = 0;
function ask(
  executionId: string,
  limits: Limits = none,
  routes: [string, Limits][] = [['p', none]],
): AdmissionRequest {
  asked += 1;
  const its = routes.map(([connection, one]) => ({ connection, limits: one }));
  return { executionId, mark: `${executionId} ${asked}`, limits, routes: its, stays: false };
}

const kinds = (answers: { kind: string }[]) => answers.map(({ kind }) => kind);

describe('limits that dispatchers share', () => {
  it('are never exceeded, whoever asks and however many at once', async () => {
    const asks = Array.from({ length: 40 }, (_, index) => ask(`e${index}`, most('model:m', 7)));
    const answers = await Promise.all(asks.map((one, index) => (index % 2 ? desk : other).admit([one])));
    expect(kinds(answers.flat()).filter((kind) => kind === 'admitted')).toHaveLength(7);
    expect(answers.flat().find(({ kind }) => kind === 'full')).toMatchObject({ name: 'model:m' });
  });

  it('make room again when a run is let go of', async () => {
    const limits = most('model:m', 1);
    expect(kinds(await desk.admit([ask('a', limits), ask('b', limits)]))).toEqual(['admitted', 'full']);
    await other.release([{ executionId: 'a', names: ['model:m'] }]);
    expect(kinds(await desk.admit([ask('b', limits)]))).toEqual(['admitted']);
  });

  it('count a run once: who asks for it a second time is told that somebody has it', async () => {
    const limits = most('model:m', 5);
    await desk.admit([ask('a', limits)]);
    expect(kinds(await other.admit([ask('a', limits)]))).toEqual(['taken']);
  });

  it('count nothing of a run that is not admitted', async () => {
    const both: Limits = {
      scopes: [...most('model:m', 5).scopes, ...most('organization:o', 1).scopes],
      rates: [],
    };
    await desk.admit([ask('a', both), ask('b', both), ask('c', both)]);
    await desk.release([{ executionId: 'a', names: ['model:m', 'organization:o'] }]);
    expect(await redis.zcard('{holdfast-limits}:runs:model:m')).toBe(0);
  });

  it('of beginnings in a minute are kept to the number, and say when there is room again', async () => {
    const limits = perMinute('model:m', 3);
    const answers = await desk.admit(['a', 'b', 'c', 'd'].map((id) => ask(id, limits)));
    expect(kinds(answers)).toEqual(['admitted', 'admitted', 'admitted', 'full']);
    const [, , , refused] = answers;
    expect(refused?.kind === 'full' && refused.waitMs).toBeGreaterThan(50_000);
    expect(kinds(await other.admit([ask('e', limits)]))).toEqual(['full']);
  });

  it('of one provider send a run to the next, while that has room', async () => {
    const routes: [string, Limits][] = [
      ['first', most('connection:first', 1)],
      ['second', most('connection:second', 1)],
    ];
    const answers = await desk.admit(['a', 'b', 'c'].map((id) => ask(id, none, routes)));
    expect(answers.slice(0, 2)).toEqual([
      { kind: 'admitted', route: 0 },
      { kind: 'admitted', route: 1 },
    ]);
    expect(answers[2]).toMatchObject({ kind: 'closed' });
  });
});

describe('a run that was admitted and did not begin', () => {
  it('leaves its place under limits to another, and its part of a minute', async () => {
    const once = (name: string): Limits => ({ ...most(name, 1), rates: perMinute(name, 1).rates });
    const limits = once('model:m');
    const routes: [string, Limits][] = [['p', once('connection:p')]];
    const gone = ask('gone', limits, routes);
    expect(kinds(await desk.admit([gone, ask('next', limits, routes)]))).toEqual(['admitted', 'full']);
    await desk.withdraw(gone, 0);
    expect(kinds(await other.admit([ask('next', limits, routes)]))).toEqual(['admitted']);
  });

  it('takes nothing from another asking for the same one', async () => {
    const limits = perMinute('model:m', 2);
    const stale = ask('a', limits);
    expect(kinds(await desk.admit([ask('a', limits), stale]))).toEqual(['admitted', 'admitted']);
    await desk.withdraw(stale, 0);
    expect(kinds(await desk.admit([ask('b', limits), ask('c', limits)]))).toEqual(['admitted', 'full']);
  });

  it('leaves the probe of a provider to another', async () => {
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

describe('counting what is under way', () => {
  it('knows of every run again after Redis was emptied', async () => {
    const open = new Map([['model:m', new Set(['a', 'b'])]]);
    expect(await desk.reconcile(open)).toEqual(open);
    await desk.count(open);
    expect(kinds(await desk.admit([ask('c', most('model:m', 2)), ask('a', most('model:m', 2))]))).toEqual([
      'full',
      'taken',
    ]);
  });

  it('forgets a limit that was counted anew when its runs have ended and nobody let go of them', async () => {
    await desk.count(new Map([['model:m', new Set(['a'])]]));
    expect(kinds(await desk.admit([ask('b', most('model:m', 1))]))).toEqual(['full']);
    await desk.reconcile(new Map());
    expect(kinds(await desk.admit([ask('b', most('model:m', 1))]))).toEqual(['admitted']);
  });

  it('counts nothing that ended while it was looked up', async () => {
    const limits = most('model:m', 1);
    await desk.admit([ask('a', limits)]);
    const open = new Map([['model:m', new Set(['a'])]]);
    await desk.release([{ executionId: 'a', names: ['model:m'] }]);
    await other.reconcile(open);
    expect(kinds(await desk.admit([ask('b', limits)]))).toEqual(['admitted']);
  });

  it('lets go of what a dead dispatcher has left, but of nothing that began just now', async () => {
    await desk.admit([ask('new', most('model:m', 5))]);
    await redis.zadd('{holdfast-limits}:runs:model:m', String(Date.now() - 60_000), 'dead');
    await other.reconcile(new Map());
    expect(await redis.zrange('{holdfast-limits}:runs:model:m', '0', '-1')).toEqual(['new']);
  });
});

describe('the breaker of a provider', () => {
  const calls = (ok: number, failed: number) => [{ connection: 'p', ok, failed }];

  it('opens when half of ten calls have failed, as all dispatchers together have seen', async () => {
    expect((await desk.report(calls(4, 4))).size).toBe(0);
    expect((await other.report(calls(1, 1))).has('p')).toBe(true);
    expect((await desk.report([])).has('p')).toBe(true);
    expect(await desk.admit([ask('a')])).toEqual([
      { kind: 'closed', waitMs: expect.any(Number) as unknown as number },
    ]);
  });

  it('stays closed when fewer fail, or fewer were made', async () => {
    expect((await desk.report(calls(0, 9))).size).toBe(0);
    expect((await desk.report(calls(20, 3))).size).toBe(0);
  });

  it('opens at once for a provider that says itself that it takes no runs', async () => {
    await desk.report(calls(30, 0));
    const opened = await desk.report([{ connection: 'p', ok: 0, failed: 1, isDead: true }]);
    expect(opened.get('p')).toBeGreaterThan(Date.now());
  });

  it('sends runs to the next provider while it is open', async () => {
    await desk.report(calls(0, 10));
    const answers = await desk.admit([
      ask('a', none, [
        ['p', none],
        ['q', none],
      ]),
    ]);
    expect(answers).toEqual([{ kind: 'admitted', route: 1 }]);
  });

  it('lets one run probe when its time is over; its success closes it, its failure opens it anew', async () => {
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

describe('what is learned of the capacity of a provider', () => {
  const name = 'route:p m';
  const capacities = '{holdfast-limits}:capacity';
  const routes = (...names: string[]): AdmissionRequest['routes'] =>
    names.map((one) => ({ connection: one, limits: none, capacity: `route:${one} m` }));
  const asked = (executionId: string, ...names: string[]): AdmissionRequest => ({
    ...ask(executionId),
    routes: routes(...(names.length > 0 ? names : ['p'])),
  });
  const refused = (executionId: string, part: Partial<CapacityRefusal> = {}) =>
    desk.refused({ name, executionId, retryAfterMs: 0, mayHaveRun: false, jitter: 1, ...part });
  type Learned = { most: number; untilMs: number; growsMs: number; stepMs: number; seenMs: number };
  const learned = async () => JSON.parse((await redis.hget(capacities, name)) ?? 'null') as Learned;
  const change = async (part: Partial<Learned>) =>
    await redis.hset(capacities, name, JSON.stringify({ ...(await learned()), ...part }));
  const pauseIsOver = () => change({ untilMs: 0 });

  it('is as many runs as it was at when it refused one more, whichever dispatcher sent them', async () => {
    expect(await refused('d', { open: ['a', 'b', 'c', 'd'] })).toMatchObject({ most: 3 });
    expect(await other.capacities([])).toEqual(new Map([[name, 3]]));
    await pauseIsOver();
    expect(kinds(await other.admit([asked('d')]))).toEqual(['closed']);
    await other.release([{ executionId: 'a', names: [name] }]);
    expect(kinds(await other.admit([asked('d'), asked('e')]))).toEqual(['admitted', 'closed']);
  });

  it('shrinks refusal by refusal, and never below one', async () => {
    const open = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all = [await refused('f', { open }), await refused('e'), await refused('d'), await refused('c')];
    expect(all.map(({ most: count }) => count)).toEqual([5, 4, 3, 2]);
    await refused('b');
    expect(await refused('a')).toMatchObject({ most: 1 });
  });

  it('leaves the provider alone for as long as it asks, and each time longer when it does not say', async () => {
    expect((await refused('a', { retryAfterMs: 30_000 })).waitMs).toBe(30_000);
    const [answer] = await other.admit([asked('b')]);
    expect(answer?.kind === 'closed' && answer.waitMs).toBeGreaterThan(29_000);
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

  it('counts refusals that come at once as one', async () => {
    await refused('a', { open: ['a', 'b', 'c', 'd'] });
    await refused('b');
    expect((await refused('c')).waitMs).toBeLessThanOrEqual(1000);
  });

  it('lets one run after the other try until one is accepted, then as many as there is room for', async () => {
    await refused('d', { open: ['a', 'b', 'c', 'd'] });
    await desk.release(['a', 'b', 'c'].map((executionId) => ({ executionId, names: [name] })));
    await pauseIsOver();
    expect(kinds(await desk.admit([asked('e'), asked('f')]))).toEqual(['admitted', 'closed']);
    await desk.capacities([name]);
    await pauseIsOver();
    expect(kinds(await desk.admit(['f', 'g', 'h'].map((id) => asked(id))))).toEqual([
      'admitted',
      'admitted',
      'closed',
    ]);
  });

  it('has the next one try at once when a run that was let in did not begin', async () => {
    await refused('a');
    await pauseIsOver();
    const gone = asked('gone');
    expect(kinds(await desk.admit([gone, asked('b')]))).toEqual(['admitted', 'closed']);
    await desk.withdraw(gone, 0);
    expect(kinds(await desk.admit([asked('b')]))).toEqual(['admitted']);
  });

  it('grows by one while it is used up and runs are accepted, later each time that this was one too many', async () => {
    await refused('b', { open: ['a', 'b'] });
    await pauseIsOver();
    expect(kinds(await desk.admit([asked('b')]))).toEqual(['closed']);
    expect((await desk.capacities([name])).get(name)).toBe(1);
    const { growsMs, stepMs } = await learned();
    await change({ growsMs: 0 });
    expect((await desk.capacities([])).get(name)).toBe(1);
    expect((await desk.capacities([name])).get(name)).toBe(2);
    expect((await desk.capacities([name])).get(name)).toBe(2);
    expect(kinds(await desk.admit([asked('b')]))).toEqual(['admitted']);
    expect((await refused('b')).most).toBe(1);
    const after = await learned();
    expect(after.stepMs).toBe(2 * stepMs);
    expect(after.growsMs - growsMs).toBeGreaterThanOrEqual(stepMs);
  });

  it('grows by a quarter of many', async () => {
    const open = Array.from({ length: 41 }, (_, index) => `e${index}`);
    await refused('e40', { open });
    await pauseIsOver();
    await desk.admit([asked('x')]);
    await change({ growsMs: 0 });
    expect((await desk.capacities([name])).get(name)).toBe(50);
  });

  it('sends a run to another provider that has room, unless it is to stay', async () => {
    await refused('b', { open: ['a', 'b'] });
    const both = asked('b', 'p', 'q');
    expect(await desk.admit([{ ...both, stays: true }])).toMatchObject([{ kind: 'closed' }]);
    expect(await desk.admit([both])).toEqual([{ kind: 'admitted', route: 1 }]);
  });

  it('goes on counting a run that it may have accepted', async () => {
    await refused('a', { mayHaveRun: true, open: ['a'] });
    await pauseIsOver();
    expect(kinds(await desk.admit([asked('b')]))).toEqual(['closed']);
  });

  it('is forgotten when nobody has met it for long', async () => {
    await refused('a');
    await change({ seenMs: 1 });
    expect((await desk.capacities([])).size).toBe(0);
    expect(kinds(await desk.admit([asked('a'), asked('b')]))).toEqual(['admitted', 'admitted']);
  });
});
