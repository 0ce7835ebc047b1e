import { liveGauge, type Registry } from './metrics.ts';

/** What every service tells of its way to PostgreSQL and Redis. */
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
  of('idle_connections', 'Connections to PostgreSQL that nobody uses', () => pool.idleCount);
  of('max_connections', 'Connections to PostgreSQL that may be open', () => pool.options.max ?? 0);
  of('waiting', 'Statements that wait for a connection to PostgreSQL', () => pool.waitingCount);
  liveGauge(
    registry,
    'redis_up',
    '1 while Redis can be reached; without it hints and rate limits are missing',
    () => (redis.status === 'ready' ? 1 : 0),
  );
}
