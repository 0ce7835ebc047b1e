import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { startReplicatedPostgres } from '@holdfast/testkit/replica';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { type Database, openDatabase } from './client.ts';
import { withLock } from './databases.ts';
import { faultOf } from './faults.ts';
import { openCluster, openPool } from './session.ts';
import { inTransaction } from './statement.ts';

const faultIn = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => faultOf(error),
  );

describe('a server that becomes read-only', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.db.pool.query('CREATE TABLE things (id int)');
  });

  afterAll(() => database.close());

  const insert = (client: pg.ClientBase) => client.query('INSERT INTO things VALUES (1)');
  const countOld = async () => {
    const old = "SELECT FROM pg_stat_activity WHERE application_name = 'test-old'";
    return (await database.db.pool.query(old)).rowCount;
  };

  it.each([
    [
      'refuses a write',
      (client: pg.ClientBase) => client.query('BEGIN READ ONLY').then(() => insert(client)),
    ],
    [
      'says that it accepts no more writes',
      (client: pg.ClientBase) =>
        client.query('SET default_transaction_read_only = on').then(() => insert(client)),
    ],
  ])('loses all sessions of a pool when it %s, and the next write succeeds', async (_when, refused) => {
    const pooled = openDatabase({ url: database.url, poolSize: 5, applicationName: 'test' });
    const write = () => inTransaction(pooled, insert);
    const clients = await Promise.all(Array.from({ length: 5 }, () => pooled.pool.connect()));
    for (const client of clients) await client.query("SET application_name = 'test-old'");
    const [inUse, refusing, ...idle] = clients;
    for (const client of idle) client.release();
    expect(await faultIn(refused(refusing as pg.PoolClient))).toBe('read-only');
    refusing?.release();
    expect(await Promise.all([write(), write(), write()].map(faultIn))).toEqual(Array(3).fill('done'));
    // What a session was doing it may finish.
    expect((await inUse?.query('SELECT 1 AS one'))?.rows).toEqual([{ one: 1 }]);
    inUse?.release();
    await until('no old session is left', async () => (await countOld()) === 0);
    expect(await Promise.all(Array.from({ length: 5 }, write).map(faultIn))).toEqual(Array(5).fill('done'));
    await pooled.close();
  });
});

describe('a server that does not report its timeline', () => {
  it('is used all the same, also as one of several', async () => {
    const database = await openTestDatabase();
    await database.db.pool.query(`CREATE FUNCTION public.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'wal_level must be set to logical' USING ERRCODE = '55000'; END $$`);
    const { host } = new URL(database.url);
    for (const hosts of [host, `${host},${host}`]) {
      const several = database.url.replace(host, hosts);
      const url = `${several}${several.includes('?') ? '&' : '?'}options=-csearch_path%3Dpublic%2Cpg_catalog`;
      const { pool, close } = openDatabase({ url, poolSize: 1, applicationName: 'test' });
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await expect(pool.query('SELECT pg_current_wal_lsn()')).rejects.toThrow('wal_level');
      await close();
    }
    await database.close();
  });
});

describe('a primary with a standby', () => {
  let servers: Awaited<ReturnType<typeof startReplicatedPostgres>>;
  let way: Awaited<ReturnType<typeof openBreakableProxy>>;
  const opened: Database[] = [];

  beforeAll(async () => {
    servers = await startReplicatedPostgres();
    way = await openBreakableProxy(servers.url);
  }, 120_000);

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
  });

  afterAll(async () => {
    await way.close();
    await servers.stop();
  });

  function open(url: string, options: { acceptsReadOnly?: boolean } = {}): Database {
    const db = openDatabase({ url, poolSize: 2, applicationName: 'test', ...options });
    opened.push(db);
    return db;
  }

  const together = (...urls: string[]) => urls[0]?.replace(/@[^/]+/, `@${urls.map(hostOf).join(',')}`) ?? '';
  const hostOf = (url: string) => new URL(url).host;
  const portOf = async ({ pool }: Database) =>
    (await pool.query<{ port: string }>("SELECT current_setting('port') AS port")).rows[0]?.port;
  const primaryPort = () => new URL(servers.url).port;

  it('is found among the servers of one URL, in any order, by pools, commands and setups', async () => {
    const gone = 'postgresql://127.0.0.1:1/x';
    for (const url of [
      together(servers.replicaUrl, servers.url),
      together(servers.url, servers.replicaUrl),
      together(servers.url, gone).replace(/@([^,]+),([^/]+)/, '@$2,$1'),
    ]) {
      expect(await portOf(open(url))).toBe(primaryPort());
      expect(await portOf(open(url, { acceptsReadOnly: true }))).toBe(primaryPort());
      expect(await withLock(url, 1, async () => 'locked')).toBe('locked');
    }
  });

  it('is unreachable while every server is silent', async () => {
    way.begin('silent');
    expect(await faultIn(open(together(way.url, way.url)).pool.query('SELECT'))).toBe('unreachable');
    way.end();
  });

  it('is not replaced by a lone standby, except where reads are enough', async () => {
    expect(await faultIn(open(servers.replicaUrl).pool.query('SELECT'))).toBe('read-only');
    expect(await faultIn(open(together(servers.replicaUrl, servers.replicaUrl)).pool.query('SELECT'))).toBe(
      'read-only',
    );
    expect(await portOf(open(servers.replicaUrl, { acceptsReadOnly: true }))).toBe(
      new URL(servers.replicaUrl).port,
    );
  });

  it('loses its sessions, silent as it is, when the standby is promoted', async () => {
    const several = open(together(way.url, servers.replicaUrl));
    const moving = await openBreakableProxy(servers.url);
    const one = open(moving.url);
    expect([await portOf(several), await portOf(one)]).toEqual([primaryPort(), primaryPort()]);
    way.begin('silent');
    const silent = several.pool.query('SELECT');
    const old = one.pool.query('SELECT pg_sleep(600)');
    const standby = open(servers.replicaUrl, { acceptsReadOnly: true });
    await standby.pool.query('SELECT pg_promote()');
    moving.lead(servers.replicaUrl);
    expect(await Promise.all([silent, old].map(faultIn))).toEqual(['unreachable', 'unreachable']);
    const promoted = new URL(servers.replicaUrl).port;
    expect([await portOf(several), await portOf(one)]).toEqual([promoted, promoted]);
    await several.pool.query('CREATE TABLE things (id int)');
    await moving.close();
  });

  it('is the one that was promoted last, while its predecessor still accepts writes', async () => {
    const standby = open(servers.replicaUrl, { acceptsReadOnly: true });
    await standby.pool.query('SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote() END');
    for (const url of [
      together(servers.url, servers.replicaUrl),
      together(servers.replicaUrl, servers.url),
    ]) {
      const found = await Promise.all(Array.from({ length: 10 }, () => portOf(open(url))));
      expect(new Set(found)).toEqual(new Set([new URL(servers.replicaUrl).port]));
    }
  });

  it('is still the one that was promoted last when that one responds slowly, or not at all', async () => {
    const promoted = await openBreakableProxy(servers.replicaUrl);
    const cluster = openCluster(together(servers.url, promoted.url));
    const found = await cluster.findPrimary();
    promoted.delayRequests(200);
    // A busy machine may give up before it responds, and never takes the former one instead.
    const again = () => cluster.findPrimary().catch(() => null);
    expect(await until('it responds', again)).toEqual(found);
    expect(String((await cluster.address())?.port)).toBe(new URL(promoted.url).port);
    promoted.begin('gone');
    expect(await faultIn(cluster.findPrimary())).toBe('read-only');
    promoted.end();
    expect(await cluster.findPrimary()).toEqual(found);
    await promoted.close();
  });

  it('gets no session that was still connecting when its successor was found', async () => {
    const former = await openBreakableProxy(servers.url);
    const promoted = await openBreakableProxy(servers.replicaUrl);
    promoted.begin('gone');
    const cluster = openCluster(together(former.url, promoted.url));
    const pool = openPool(cluster, { max: 1 });
    expect((await cluster.findPrimary()).isReadOnly).toBe(false);
    promoted.end();
    former.delayRequests(400);
    const connecting = faultIn(pool.connect());
    await cluster.findPrimary();
    expect(await connecting).toBe('read-only');
    former.delayRequests(0);
    const { rows } = await pool.query<{ port: string }>("SELECT current_setting('port') AS port");
    expect(rows[0]?.port).toBe(new URL(servers.replicaUrl).port);
    await pool.end();
    await former.close();
    await promoted.close();
  });
});
