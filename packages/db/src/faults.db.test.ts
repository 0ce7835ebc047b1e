import { createLogger } from '@holdfast/kit/logger';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { type Database, loadPrisma, openDatabase } from './client.ts';
import { type Fault, faultOf, isOfDatabase, isRejection, isTransient, retryTransient } from './faults.ts';
import { inTransaction } from './statement.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;
let db: Database;
let prisma: Awaited<ReturnType<typeof loadPrisma>>;

beforeAll(async () => {
  database = await openTestDatabase(4);
  ({ db } = database);
  prisma = await loadPrisma(db.pool);
  await db.pool.query('CREATE TABLE things (id int PRIMARY KEY, n int NOT NULL)');
  await db.pool.query('INSERT INTO things VALUES (1, 0), (2, 0)');
});

afterAll(() => database.close());

async function errorOf(work: () => Promise<unknown>): Promise<unknown> {
  return await work().then(
    () => null,
    (error: unknown) => error,
  );
}

/** For transactions of Prisma, which ends them after 5 s otherwise. */
const patient = { maxWait: 60_000, timeout: 60_000 };

/** As a statement of `pg`, and as Prisma wraps it. */
async function faultsOf(...statements: string[]): Promise<(Fault | null)[]> {
  const errors = [
    await errorOf(() =>
      inTransaction(db, async (client) => {
        for (const statement of statements) await client.query(statement);
      }),
    ),
    await errorOf(() => prisma.$transaction(statements.map((one) => prisma.$executeRawUnsafe(one)))),
  ];
  return errors.map(faultOf);
}

const both = (fault: Fault | null) => [fault, fault];
const waitingForLock = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const update = (id: number) => `UPDATE things SET n = n + 1 WHERE id = ${id}`;

/** Runs `work` while another transaction has changed row 1. */
async function whileLocked<Result>(work: (holder: PoolClient) => Promise<Result>): Promise<Result> {
  return await inTransaction(db, async (holder) => {
    await holder.query(update(1));
    return await work(holder);
  });
}

describe('an error of PostgreSQL', () => {
  it('57014: a statement that takes too long is slow', async () => {
    const faults = await faultsOf("SET LOCAL statement_timeout = '20ms'", 'SELECT pg_sleep(60)');
    expect(faults).toEqual(both('slow'));
  });

  it('55P03: a lock that is not granted in time makes a statement slow', async () => {
    const faults = await whileLocked(() => faultsOf("SET LOCAL lock_timeout = '20ms'", update(1)));
    expect(faults).toEqual(both('slow'));
  });

  it('25006: a transaction that may not write is read-only', async () => {
    expect(await faultsOf('SET TRANSACTION READ ONLY', update(1))).toEqual(both('read-only'));
  });

  it('40001: a row that changed since the snapshot is a conflict', async () => {
    const snapshot = ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'SELECT FROM things'];
    const asPg = await errorOf(() =>
      inTransaction(db, async (client) => {
        for (const statement of snapshot) await client.query(statement);
        await db.pool.query(update(1));
        await client.query(update(1));
      }),
    );
    const asPrisma = await errorOf(() =>
      prisma.$transaction(async (client) => {
        for (const statement of snapshot) await client.$executeRawUnsafe(statement);
        await db.pool.query(update(1));
        await client.$executeRawUnsafe(update(1));
      }, patient),
    );
    expect([asPg, asPrisma].map(faultOf)).toEqual(both('conflict'));
  });

  it('40P01: the victim of a deadlock meets a conflict', async () => {
    const victim = (run: (statement: string) => Promise<unknown>) =>
      whileLocked(async (holder) => {
        await holder.query("SET LOCAL deadlock_timeout = '1h'");
        await run("SET LOCAL deadlock_timeout = '300ms'");
        await run(update(2));
        const held = holder.query(update(2));
        // The victim looks for a deadlock once.
        await until('the holder waits', async () => (await db.pool.query(waitingForLock)).rowCount === 1);
        const [error] = await Promise.all([errorOf(() => run(update(1))), held]);
        return error;
      });
    const faults = [
      await errorOf(() => inTransaction(db, (client) => victim((one) => client.query(one)).then(thrown))),
      await errorOf(() =>
        prisma.$transaction((client) => victim((one) => client.$executeRawUnsafe(one)).then(thrown), patient),
      ),
    ].map(faultOf);
    expect(faults).toEqual(both('conflict'));
  });

  it('53400: a statement beyond the limit of temporary files finds resources exhausted', async () => {
    const sort =
      'SELECT count(*) FROM (SELECT g FROM generate_series(1, 200000) AS g ORDER BY g DESC OFFSET 1) AS s';
    const faults = await faultsOf("SET LOCAL work_mem = '64kB'", "SET LOCAL temp_file_limit = '64kB'", sort);
    expect(faults).toEqual(both('exhausted'));
  });

  it('53300: a login beyond the limit of connections finds resources exhausted', async () => {
    await db.pool.query("CREATE ROLE faults_crowd LOGIN PASSWORD 'crowd' CONNECTION LIMIT 0");
    const url = Object.assign(new URL(database.url), { username: 'faults_crowd', password: 'crowd' }).href;
    const crowded = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    const errors = [
      await errorOf(() => crowded.pool.query('SELECT')),
      await errorOf(() => crowded.prisma.organization.count()),
    ];
    await crowded.close();
    await db.pool.query('DROP ROLE faults_crowd');
    expect(errors.map(faultOf)).toEqual(both('exhausted'));
  });

  it('57P01: a session that the server ends is unreachable', async () => {
    const end = async () => {
      const pid = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(61)%'";
      await until('it runs', async () => (await db.pool.query(pid)).rowCount === 1);
      await db.pool.query(`SELECT pg_terminate_backend(pid) FROM (${pid}) AS running`);
    };
    const broken = async (work: () => Promise<unknown>) => (await Promise.all([errorOf(work), end()]))[0];
    const errors = [
      await broken(() => db.pool.query('SELECT pg_sleep(61)')),
      await broken(() => prisma.$executeRawUnsafe('SELECT pg_sleep(61)')),
    ];
    expect(errors.map(faultOf)).toEqual(both('unreachable'));
  });

  it('22012, 23505: values and constraints are refused for good', async () => {
    for (const statement of ['SELECT 1 / 0', 'INSERT INTO things VALUES (1, 1)']) {
      expect(await faultsOf(statement)).toEqual(both('rejected'));
    }
  });

  it('42P01: a bug is not a fault', async () => {
    expect(await faultsOf('SELECT FROM nowhere')).toEqual(both(null));
  });

  it('is of the database whatever its state is, unless it is only the cause of another', async () => {
    const error = await errorOf(() => db.pool.query('SELECT FROM nowhere'));
    const lost = new Error('Connection terminated');
    expect([error, lost, new Error('Redis', { cause: lost })].map(isOfDatabase)).toEqual([true, true, false]);
  });
});

function thrown(error: unknown): never {
  throw error;
}

/** States that no test provokes, raised by a function. */
describe.each<[string, Fault | null]>([
  ['08006', 'unreachable'],
  ['08P01', 'unreachable'],
  ['25P03', 'unreachable'],
  ['53100', 'exhausted'],
  ['53200', 'exhausted'],
  ['57P02', 'unreachable'],
  ['57P03', 'unreachable'],
  ['57P05', 'unreachable'],
  ['58030', 'exhausted'],
  ['0A000', null],
  ['XX000', null],
])('an error with SQLSTATE %s', (state, fault) => {
  it(`means ${fault ?? 'a bug'}, from pg and from Prisma`, async () => {
    expect(await faultsOf(`DO $$ BEGIN RAISE 'raised' USING ERRCODE = '${state}'; END $$`)).toEqual(
      both(fault),
    );
  });
});

describe('an error that is not of the server', () => {
  it.each([
    ['an address that refuses', Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' })],
    ['a host that is gone', Object.assign(new Error('x'), { code: 'EHOSTUNREACH', syscall: 'connect' })],
    ['a pool that gave up', new Error('timeout exceeded when trying to connect')],
    ['a session that was closed', new Error('Client was closed and is not queryable')],
    ['one of several addresses', new AggregateError([Object.assign(new Error('x'), { code: '57P03' })])],
    ['the cause of another', new Error('x', { cause: Object.assign(new Error('x'), { code: '08006' }) })],
  ])('is unreachable for %s', (_of, error) => {
    expect([faultOf(error), isTransient(error), isRejection(error)]).toEqual(['unreachable', true, false]);
  });

  it.each([
    ['a file that is missing', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })],
    ['a status of HTTP', Object.assign(new Error('x'), { code: '404' })],
    ['a bug', new TypeError('x')],
    ['a text', '57014'],
    ['nothing', null],
  ])('is none for %s', (_of, error) => {
    expect([faultOf(error), isTransient(error), isRejection(error)]).toEqual([null, false, false]);
  });
});

const log = createLogger('test', 'silent');
const coded = (code: string) => Object.assign(new Error(code), { code });

describe('retryTransient', () => {
  it.each(['57P01', '40P01', '08006'])('tries again after %s', async (code) => {
    const work = jest
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(coded(code))
      .mockResolvedValue('done');
    expect(await retryTransient(log, 1000, work)).toBe('done');
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('gives up at once on what the database refuses, for that does not pass', async () => {
    const work = jest.fn<() => Promise<string>>().mockRejectedValue(coded('22P05'));
    await expect(retryTransient(log, 1000, work)).rejects.toThrow('22P05');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('gives up when its time is over', async () => {
    const work = jest.fn<() => Promise<string>>().mockRejectedValue(coded('57P03'));
    await expect(retryTransient(log, 250, work)).rejects.toThrow('57P03');
    expect(work).toHaveBeenCalledTimes(2);
  });
});
