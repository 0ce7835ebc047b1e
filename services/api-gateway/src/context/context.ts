import { openDatabase } from '@holdfast/db/client';
import { openModelCatalogue } from '@holdfast/db/models';
import { openReader } from '@holdfast/db/reader';
import { egressSettings } from '@holdfast/egress/config';
import { createEgressPolicy } from '@holdfast/egress/policy';
import { openCreator } from '@holdfast/executions/creator';
import { diskSettings } from '@holdfast/files/config';
import { openStore } from '@holdfast/files/open';
import { openFalKeyPairs } from '@holdfast/kit/keyPairs';
import type { Logger } from '@holdfast/kit/logger';
import {
  counter,
  createRegistry,
  engineGauges,
  histogram,
  liveGauge,
  type Registry,
} from '@holdfast/kit/metrics';
import { createSealedBox } from '@holdfast/kit/sealedBox';
import { openFileLinks, openSigner } from '@holdfast/kit/signer';
import type { Tracing } from '@holdfast/kit/tracing/tracing';
import { openChangeFeed, openChangePublisher } from '@holdfast/queues/changes';
import { connectProducer, connectWorker } from '@holdfast/queues/connection';
import { openQueueControls } from '@holdfast/queues/controls';
import {
  abortQueue,
  adjustQueue,
  callbackQueue,
  checkModelQueue,
  deliverQueue,
  dispatchQueue,
  fanoutQueue,
  testCallQueue,
} from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import { openRequester } from '@holdfast/queues/request';
import { openTokenSigner } from '../access/executionTokens.ts';
import { openOidc } from '../access/oidc/provider.ts';
import { bodyPace, openBodyMemory } from '../http/bodyLimits.ts';
import { openWaitingRoom } from '../http/waitingRoom.ts';
import { openOutputReader } from '../watching/outputStream.ts';
import { openStreamSlots } from '../watching/streamSlots.ts';
import { openWatcher } from '../watching/watcher.ts';
import type { GatewayConfig } from './config.ts';

export type Context = Awaited<ReturnType<typeof openContext>>;

/** Opens the connections of the gateway; each connects on first use. */
export async function openContext({
  config,
  log,
  tracing,
}: {
  config: GatewayConfig;
  log: Logger;
  tracing: Tracing | null;
}) {
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    isPrepared: config.DATABASE_PREPARED,
    applicationName: 'api-gateway',
  });
  const redis = connectProducer(config.REDIS_URL, log);
  const workerRedis = connectWorker(config.REDIS_URL, log);
  const registry = createRegistry('api-gateway');
  const metrics = createMetrics(registry);
  engineGauges(registry, { pool: db.pool, redis });
  const streams = openStreamSlots({ maxPerKey: config.EVENT_STREAMS_PER_KEY, max: config.EVENT_STREAMS });
  liveGauge(registry, 'event_streams', 'Open event streams', streams.open);
  const bodies = openBodyMemory(config.BODY_MEMORY_MIB * 1024 * 1024);
  liveGauge(
    registry,
    'request_body_bytes',
    'Bytes held for the bodies of requests in flight',
    bodies.heldBytes,
  );
  const responses = openBodyMemory(config.RESPONSE_MEMORY_MIB * 1024 * 1024, 'responses');
  liveGauge(
    registry,
    'response_bytes',
    'Bytes held for large responses on their way to clients',
    responses.heldBytes,
  );
  const dispatch = openProducer(dispatchQueue, redis, log);
  return {
    config,
    log,
    tracing,
    db,
    /** `read` is for lists and sums, which may be some seconds old; `readPrimary` where a client must see its own write. */
    reader: openReader(db, replicaOf(config), log),
    redis,
    workerRedis,
    registry,
    metrics,
    dispatch,
    creator: openCreator({
      db,
      dispatch,
      onBlocked: (organizationId) => log.warn({ organizationId }, 'creates delayed by a locked balance'),
    }),
    /** The queues that are notified when a client cancels an execution. */
    hints: {
      fanout: openProducer(fanoutQueue, redis, log),
      abort: openProducer(abortQueue, redis, log),
      publishChanges: openChangePublisher(redis),
    },
    callbacks: openProducer(callbackQueue, redis, log),
    deliver: openProducer(deliverQueue, redis, log),
    testCalls: openRequester(testCallQueue, redis, workerRedis),
    adjustments: openRequester(adjustQueue, redis, workerRedis),
    modelChecks: openRequester(checkModelQueue, redis, workerRedis),
    /** All queues, for operators. */
    queues: openQueueControls(redis),
    watcher: openWatcher({ db, log, openFeed: (handlers) => openChangeFeed({ redis, log, ...handlers }) }),
    waitingRoom: openWaitingRoom(),
    streams,
    outputReader: openOutputReader(db),
    /** Whether responses arrived, as far as that is not written yet, by request (faces/delivery.ts). */
    deliveryNotes: new Map<string, { written: Promise<void> }>(),
    bodies,
    responses,
    bodyPace: bodyPace(config),
    models: openModelCatalogue(db),
    store: await openStore(config),
    /** Null unless files are on the local disk, which the gateway serves itself. */
    disk: diskSettings(config),
    egress: createEgressPolicy(egressSettings(config)),
    box: createSealedBox(config.ENCRYPTION_KEYS),
    /** Where operators sign in besides tokens; null: not configured. */
    oidc: openOidc(config),
    tokens: openTokenSigner(config.ENCRYPTION_KEYS),
    fileLinks: openFileLinks(config.ENCRYPTION_KEYS),
    /** What verifies webhooks as fal signs them. */
    falKeyPairs: openFalKeyPairs(config.ENCRYPTION_KEYS),
    /** Signs the URLs at which a file is uploaded in parts. */
    fileUploads: openSigner(config.ENCRYPTION_KEYS, 'holdfast file upload'),
  };
}

function replicaOf(config: GatewayConfig) {
  const url = config.DATABASE_REPLICA_URL;
  if (url === undefined) return null;
  return {
    url,
    maxLagS: config.DATABASE_REPLICA_MAX_LAG_S,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'api-gateway',
    isPrepared: config.DATABASE_PREPARED,
  };
}

/** Finishes pending writes, then closes what `openContext` opened. */
export async function closeContext(context: Context): Promise<void> {
  context.watcher.close();
  await Promise.all([
    context.creator.idle(),
    ...[...context.deliveryNotes.values()].map(({ written }) => written),
  ]);
  await Promise.all(
    [context.dispatch, context.hints.fanout, context.hints.abort, context.callbacks, context.deliver].map(
      (producer) => producer.close(),
    ),
  );
  const requesters = [context.testCalls, context.adjustments, context.modelChecks, context.queues];
  await Promise.all(requesters.map((one) => one.close()));
  context.redis.disconnect();
  context.workerRedis.disconnect();
  await Promise.all([context.db.close(), context.reader.close()]);
}

export function createMetrics(registry: Registry) {
  return {
    requests: histogram(registry, 'http_request_seconds', 'Requests and their duration', [
      'method',
      'route',
      'status',
    ]),
    unlimited: counter(
      registry,
      'rate_limit_skipped_total',
      'Requests that passed the rate limit uncounted because Redis was unavailable',
    ),
  };
}
