import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Logger } from '@holdfast/kit/logger';
import { type RedisAddress, readRedisUrl } from '@holdfast/kit/redisAddress';
import { within } from '@holdfast/kit/within';
import {
  Redis as Client,
  Cluster,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';

/** A server, a master behind sentinels, or a cluster: every script and queue keeps to one hash tag. */
export type Redis = Client | Cluster;

type Options = Omit<RedisOptions, 'replyMapping'>;

/** For adding jobs and counting requests: fails at once while Redis is unavailable. */
export function connectProducer(url: string, log: Pick<Logger, 'info' | 'warn'>): Redis {
  return connect(url, log, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // A Redis that does not respond counts as unavailable: calls would pile up.
    socketTimeout: 4000,
  });
}

export function connectWorker(url: string, log: Pick<Logger, 'info' | 'warn'>): Redis {
  return connect(url, log, { maxRetriesPerRequest: null });
}

export function duplicateOf(redis: Redis): Redis {
  return 'nodes' in redis ? redis.duplicate() : redis.duplicate();
}

/** @throws after `withinMs`, or with the first connection error */
export async function untilReady(redis: Redis, withinMs: number): Promise<void> {
  if (redis.status !== 'ready') await within(withinMs, 'connecting to Redis', once(redis, 'ready'));
}

function connect(url: string, log: Pick<Logger, 'info' | 'warn'>, options: Options): Redis {
  const redis = open(url, { ...options, connectTimeout: 5000, keepAlive: 10_000, retryStrategy });
  let isUnavailable = false;
  redis.on('error', (error) => {
    if (!isUnavailable) log.warn({ err: error }, 'Redis is unavailable');
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) log.info('Redis is available again');
    isUnavailable = false;
  });
  return redis;
}

const retryStrategy = (times: number) => Math.min(times * 100, 2000);

function open(url: string, options: Options): Redis {
  const address = readRedisUrl(url);
  const { kind, nodes, database, master } = address;
  const tls = tlsOf(address);
  // The driver knows more parameters of a single server's URL.
  if (kind === 'server') return new Client(url, { ...options, ...tls });
  const entry: Options = { ...options, ...tls, ...loginOf(address) };
  if (kind === 'cluster') return openCluster(nodes, entry);
  return new Client({
    ...entry,
    Connector: ReconnectingConnector,
    sentinels: nodes,
    name: master ?? '',
    db: database,
    sentinelRetryStrategy: retryStrategy,
    // A sentinel whose machine hangs still accepts connections: the next one is asked.
    sentinelCommandTimeout: 2000,
    // A master that hangs leaves its connections open: the sentinels report its successor.
    failoverDetector: true,
    ...(address.sentinelPassword === null ? {} : { sentinelPassword: address.sentinelPassword }),
    ...(entry.tls ? { sentinelTLS: entry.tls, enableTLSForSentinelMode: true } : {}),
    // A demoted master is reconnected.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
}

/**
 * With ioredis's own, a sentinel that reports the failover while a new connection is being opened ends the client for good:
 * the watch of the lost connection stops what comes after it.
 */
class ReconnectingConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...args: Parameters<SentinelConnector['connect']>) {
    const watch = this['failoverDetector'] as { cleanup(): void } | null;
    watch?.cleanup();
    return super.connect(...args);
  }
}

function openCluster(nodes: RedisAddress['nodes'], entry: Options): Cluster {
  const { enableOfflineQueue = true, retryStrategy: _, ...redisOptions } = entry;
  return new Cluster(nodes, {
    redisOptions,
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: 4000,
    // A master that hangs leaves its connections open: the other nodes report its successor. Each look is a connection of its own.
    slotsRefreshInterval: 5000,
    // Names go to the connection unresolved: certificates are issued for them.
    dnsLookup: (host, callback) => callback(null, host),
  });
}

function loginOf({ username, password }: RedisAddress): Options {
  return {
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
  };
}

function tlsOf({ isEncrypted, caFile, certFile, keyFile }: RedisAddress): Options {
  if (!isEncrypted) return {};
  return {
    tls: {
      ...(caFile === null ? {} : { ca: readFileSync(caFile) }),
      ...(certFile === null ? {} : { cert: readFileSync(certFile) }),
      ...(keyFile === null ? {} : { key: readFileSync(keyFile) }),
    },
  };
}

export function callScripts(redis: Redis, command: string, args: string[]): Promise<unknown> {
  if (!('nodes' in redis) || command !== 'SCRIPT') return redis.call(command, ...args);
  const replies = redis.nodes('master').map((node) => node.call(command, ...args));
  return Promise.all(replies).then(([first]) => first);
}
