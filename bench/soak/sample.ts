import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@holdfast/db/client';
import { eventLoopSampleMs } from '@holdfast/kit/metrics';
import { retry } from '@holdfast/kit/retry';
import type { Running } from '@holdfast/local/launch/running';
import type { Redis } from '@holdfast/queues/connection';
import { openHandles, residentBytes } from '../processes.ts';
import { readBacklog } from './backlog.ts';
import { services } from './faultPlan.ts';

export type Sample = {
  atS: number;
  executions: number;
  /** Such as `dispatcher rss bytes`; without what could not be read. */
  values: Record<string, number>;
};

export type Sampled = {
  running: Running;
  db: Database;
  redis: Redis;
  dataFolder: string;
};

const retries = 4;

/** Takes all measurements; leaves out measurements that still fail after some retries. */
export async function takeSample(what: Sampled): Promise<Record<string, number>> {
  const parts = [ofProcesses, ofMetrics, ofDatabase, ofRedis, ofFiles];
  const values = await Promise.all(parts.map((part) => withRetries(() => part(what))));
  return Object.assign({}, ...values) as Record<string, number>;
}

async function withRetries(read: () => Promise<Record<string, number>>): Promise<Record<string, number>> {
  return await retry(read, { delaysMs: Array<number>(retries).fill(1000) }).catch(() => ({}));
}

async function ofProcesses({ running }: Sampled): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const name of processNames) {
    const pid = pidOf(running, name);
    if (!pid) continue;
    const [bytes, handles] = [residentBytes(pid), openHandles(pid)];
    if (bytes !== null) values[`${name} rss bytes`] = bytes;
    if (handles !== null) values[`${name} handles`] = handles;
  }
  return values;
}

async function ofMetrics({ running }: Sampled): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const { name, metricsUrl } of running.services) {
    const text = await fetch(metricsUrl, { signal: AbortSignal.timeout(5000) })
      .then((response) => response.text())
      .catch(() => '');
    const heap = gaugeOf(text, 'nodejs_heap_size_used_bytes');
    const lag = gaugeOf(text, 'nodejs_eventloop_lag_p99_seconds');
    if (heap !== null) values[`${name} heap bytes`] = heap;
    if (lag !== null) values[`${name} lag ms`] = lag * 1000 - eventLoopSampleMs;
  }
  return values;
}

async function ofDatabase({ db }: Sampled): Promise<Record<string, number>> {
  const backlog = Object.entries(await readBacklog(db)).map(([name, count]) => [`pending ${name}`, count]);
  return { ...Object.fromEntries(backlog), ...(await readTables(db)) };
}

async function ofRedis({ redis }: Sampled): Promise<Record<string, number>> {
  const memory = await redis.info('memory');
  const usedBytes = Number(/^used_memory:(\d+)/m.exec(memory)?.[1]);
  return { 'redis keys': await redis.dbsize(), 'redis memory bytes': usedBytes };
}

async function ofFiles({ dataFolder }: Sampled): Promise<Record<string, number>> {
  const found = await readdir(join(dataFolder, 'files'), { recursive: true });
  return { 'files on disk': found.length };
}

type Name = (typeof services)[number] | 'redis' | 'postgres';

const processNames: readonly Name[] = [...services, 'redis', 'postgres'];

export function pidOf(running: Running, name: string): number | undefined {
  if (name === 'redis' || name === 'postgres') return running[name]?.pid();
  return running.services.find((service) => service.name === name)?.pid();
}

/** A metric without labels in the text of `/metrics`; null when missing. */
export function gaugeOf(text: string, name: string): number | null {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined || Number.isNaN(Number(value)) ? null : Number(value);
}

/** These tables grow with executions: their rows are counted. */
const counted = [
  'executions',
  'attempts',
  'events',
  'deliveries',
  'delivery_attempts',
  'transfers',
  'idempotency_keys',
  'provider_callbacks',
  'files',
];

/** Bytes of each table and each index, partitions together, rows of growing ones, log and connections of PostgreSQL. */
async function readTables({ pool }: Database): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const sizes = await pool.query<{ kind: string; name: string; bytes: number }>(sizesStatement);
  for (const { kind, name, bytes } of sizes.rows) values[`${kind} ${name} bytes`] = bytes;
  for (const name of counted) {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::float8 AS count FROM ${name}`);
    values[`table ${name} rows`] = rows[0]?.count ?? 0;
  }
  const others = await pool.query<{ wal: number; connections: number }>(othersStatement);
  values['postgres log bytes'] = others.rows[0]?.wal ?? 0;
  values['postgres connections'] = others.rows[0]?.connections ?? 0;
  return values;
}

const sizesStatement = `
SELECT CASE relkind WHEN 'i' THEN 'index' ELSE 'table' END AS kind,
  coalesce(pg_partition_root(oid), oid)::regclass::text AS name, sum(pg_table_size(oid))::float8 AS bytes
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') GROUP BY 1, 2 ORDER BY 1, 2`;

const othersStatement = `
SELECT (SELECT sum(size) FROM pg_ls_waldir())::float8 AS wal,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8 AS connections`;
