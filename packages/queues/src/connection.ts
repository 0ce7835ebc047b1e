import type { Logger } from '@holdfast/kit/logger';
import { Redis, type RedisOptions } from 'ioredis';

export type { Redis };

/** For adding jobs and counting requests: fails at once while Redis is away, for nothing waits on a hint. */
export function connectProducer(url: string, log: Logger): Redis {
  return connect(url, log, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    enableAutoPipelining: true,
    // A Redis that is there but does not answer is away: what waited for it would pile up.
    socketTimeout: 4000,
  });
}

/** For workers: waits for Redis to come back, for ever. */
export function connectWorker(url: string, log: Logger): Redis {
  return connect(url, log, { maxRetriesPerRequest: null });
}

function connect(url: string, log: Logger, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  const redis = new Redis(url, {
    ...options,
    connectTimeout: 5000,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(times * 100, 2000),
  });
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn({ err: error }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });
  return redis;
}
