import { createLogger } from '@holdfast/kit/logger';
import { emptyRedis } from '@holdfast/testkit/emptyRedis';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AdmissionDesk, type Ask, type Limits, openAdmissionDesk } from './admission.ts';
import { connectProducer, type Redis } from './connection.ts';

const none: Limits = { scopes: [], rates: [] };
const most = (name: string, count: number): Limits => ({ scopes: [{ name, most: count }], rates: [] });
const perMinute = (name: string, count: number): Limits => ({
  scopes: [],
  rates: [{ name, perMinute: count }],
});

let redis: Redis;
/** Two dispatchers. */
let desk: AdmissionDesk;
let other: AdmissionDesk;
let second: Redis;

beforeAll(async () => {
  [redis, second] = [connectProducer(testRedisUrl(), log), connectProducer(testRedisUrl(), log)];
  await until('Redis is there', () => redis.status === 'ready' && second.status === 'ready');
  [desk, other] = [openAdmissionDesk(redis), openAdmissionDesk(second)];
});
beforeEach(() => emptyRedis(testRedisUrl()));
afterAll(() => {
  redis.disconnect();
  second.disconnect();
});

const log = createLogger('test', 'silent');

let asked = 0;
function ask(executionId: string, limits: Limits = none, routes: [string, Limits][] = [['p', none]]): Ask {
  asked += 1;
  const its = routes.map(([connection, one]) => ({ connection, limits: one }));
  return { executionId, mark: `${executionId} ${asked}`, limits, routes: its };
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
