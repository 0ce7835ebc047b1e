import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@holdfast/db/client';
import { retry } from '@holdfast/kit/retry';
import type { Running } from '@holdfast/local/launch/running';
import type { Redis } from '@holdfast/queues/connection';
import { readBacklog } from './backlog.ts';
import { gaugeOf } from './gauge.ts';
import { look, names, pidOf } from './processes.ts';
import { readTables } from './tables.ts';

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

/** Retries what is unavailable some times, then leaves it out. */
export async function takeSample(what: Sampled): Promise<Record<string, number>> {
  const parts = [ofProcesses, ofMetrics, ofDatabase, ofRedis, ofFiles];
  const values = await Promise.all(parts.map((part) => surely(() => part(what))));
  return Object.assign({}, ...values) as Record<string, number>;
}

async function surely(read: () => Promise<Record<string, number>>): Promise<Record<string, number>> {
  return await retry(read, { delaysMs: Array<number>(retries).fill(1000) }).catch(() => ({}));
}

async function ofProcesses({ running }: Sampled): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const name of names) {
    const seen = look(pidOf(running, name));
    if (!seen) continue;
    values[`${name} rss bytes`] = seen.rssBytes;
    values[`${name} handles`] = seen.handles;
  }
  return values;
}

async function ofMetrics({ running }: Sampled): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const { name, metricsUrl } of running.services) {
    const text = await fetch(metricsUrl, { signal: AbortSignal.timeout(5000) })
      .then((answer) => answer.text())
      .catch(() => '');
    const heap = gaugeOf(text, 'nodejs_heap_size_used_bytes');
    const lag = gaugeOf(text, 'nodejs_eventloop_lag_p99_seconds');
    if (heap !== null) values[`${name} heap bytes`] = heap;
    if (lag !== null) values[`${name} lag ms`] = lag * 1000;
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
