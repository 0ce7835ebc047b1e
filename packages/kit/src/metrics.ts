import { readFileSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Logger } from './logger.ts';
import { type Sweep, startSweep, type TakeTurn } from './sweep.ts';

export type { Counter, Gauge, Histogram, Registry };

/** Each sample wakes an idle process. It contains this time, which alerts and dashboards subtract. */
export const eventLoopSampleMs = 500;

export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  gauge(registry, 'build_info', '1, by the version that runs', ['version']).set({ version: version() }, 1);
  return registry;
}

/** Images contain the package.json too. */
function version(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

export function counter<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name: `holdfast_${name}`, help, labelNames: [...labelNames], registers: [registry] });
}

export function gauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Gauge<Label> {
  return new Gauge({ name: `holdfast_${name}`, help, labelNames: [...labelNames], registers: [registry] });
}

export function liveGauge(registry: Registry, name: string, help: string, read: () => number): void {
  registry.registerMetric(
    new Gauge({
      name: `holdfast_${name}`,
      help,
      registers: [],
      collect() {
        this.set(read());
      },
    }),
  );
}

export function asyncGauge(
  registry: Registry,
  about: { name: string; help: string; label: string },
  read: () => Promise<Record<string, number>>,
): void {
  registry.registerMetric(
    new Gauge({
      name: `holdfast_${about.name}`,
      help: about.help,
      labelNames: [about.label],
      registers: [],
      async collect() {
        for (const [which, value] of Object.entries(await read())) this.set({ [about.label]: which }, value);
      },
    }),
  );
}

/** In seconds, finest where most requests end. */
const defaultBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 0.75, 1, 2.5, 5, 10, 30, 60, 300,
];

export function histogram<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  buckets: readonly number[] = defaultBuckets,
): Histogram<Label> {
  return new Histogram({
    name: `holdfast_${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    buckets: [...buckets],
  });
}

export type GaugeReader = {
  read(): Promise<void>;
  forget(): void;
};

const readEveryMs = 15_000;

/** Reads gauges on the leading instance only; the others show none, as all do while reading fails. */
export function startGaugeReaders(args: {
  name: string;
  leads: TakeTurn;
  readings: GaugeReader[];
  log: Logger;
  intervalMs?: number;
}): Sweep {
  const { name, leads, readings, log, intervalMs = readEveryMs } = args;

  async function work(): Promise<void> {
    const isOurs = await leads();
    for (const reading of readings) {
      if (!isOurs) reading.forget();
      else await readOrForget(reading);
    }
  }

  const sweep = startSweep({ name, intervalMs, log, work });
  void sweep.runNow();
  return sweep;
}

async function readOrForget(reading: GaugeReader): Promise<void> {
  try {
    await reading.read();
  } catch (error) {
    reading.forget();
    throw error;
  }
}

export function engineGauges(
  registry: Registry,
  engines: {
    pool: { totalCount: number; idleCount: number; waitingCount: number; options: { max?: number } };
    redis: { status: string };
  },
): void {
  const { pool, redis } = engines;
  const of = (name: string, help: string, read: () => number) =>
    liveGauge(registry, `database_pool_${name}`, help, read);
  of('connections', 'Connections to PostgreSQL that are open', () => pool.totalCount);
  of('idle_connections', 'Unused connections to PostgreSQL', () => pool.idleCount);
  of('max_connections', 'Connections to PostgreSQL that may be open', () => pool.options.max ?? 0);
  of('waiting', 'Statements that wait for a connection to PostgreSQL', () => pool.waitingCount);
  liveGauge(
    registry,
    'redis_up',
    '1 while Redis can be reached; without it hints and rate limits are missing',
    () => (redis.status === 'ready' ? 1 : 0),
  );
}
