import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@holdfast/db/client';
import type { EventType, subscribableEvents } from '@holdfast/domain/events';
import { newId } from '@holdfast/domain/ids';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import { createSealedBox, type SealedBox } from '@holdfast/kit/sealedBox';
import { connectProducer, connectWorker } from '@holdfast/queues/connection';
import { deliverQueue, fanoutQueue, testCallQueue } from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import { openRequester } from '@holdfast/queues/request';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { webhookSenderConfig } from '../config.ts';
import { startWebhookSender } from '../start.ts';

export type Stage = Awaited<ReturnType<typeof useStage>>;

const log = createLogger('test', 'silent');
const hour = 3_600_000;

/** A stage for the tests of one file. Each test has its own organization and receivers. */
export async function useStage(settings: Record<string, string> = {}) {
  const opened = await openStage(await createTestDatabase(), testRedisUrl(), settings);
  let receivers: [Receiver, Receiver];
  let organization: { id: string; secret: string };
  beforeEach(async () => {
    receivers = await Promise.all([startReceiver(), startReceiver()]);
    organization = await opened.addOrganization();
  });
  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));
  afterAll(opened.close);

  /** Adds an event with its fan-out job. */
  async function publish(type: EventType, fields: EventFields & { organizationId?: string } = {}) {
    const event = await opened.addEvent(fields.organizationId ?? organization.id, type, fields);
    await opened.fanout.add({ eventIds: [event.eventId] });
    return event;
  }

  return {
    ...opened,
    get receiver() {
      return receivers[0];
    },
    get otherReceiver() {
      return receivers[1];
    },
    get organization() {
      return organization;
    },
    publish,
    /** Adds `count` completions with one fan-out job, and returns the ids of the events. */
    async publishMany(count: number, fields: EventFields & { organizationId?: string } = {}) {
      const { organizationId = organization.id } = fields;
      const events = await Promise.all(
        Array.from({ length: count }, () => opened.addEvent(organizationId, 'execution.completed', fields)),
      );
      const eventIds = events.map(({ eventId }) => eventId);
      await opened.fanout.add({ eventIds });
      return eventIds;
    },
    /** How many deliveries of the organization there are. */
    count: (where: object = {}) =>
      opened.db.prisma.delivery.count({ where: { organizationId: organization.id, ...where } }),
  };
}

/** Makes a receiver respond to nothing until `release` is called. */
export function hold(receiver: Receiver) {
  const held: ((status: number) => void)[] = [];
  receiver.respond = (_request, response) =>
    void held.push((status) => void response.writeHead(status).end());
  return {
    count: () => held.length,
    /** Responds to all held requests with an error. */
    fail() {
      for (const respond of held.splice(0)) respond(500);
    },
    /** Responds to all held requests, and to later ones at once. */
    release() {
      receiver.respond = (_request, response) => void response.writeHead(200).end();
      for (const respond of held) respond(200);
    },
  };
}

/** A webhook-sender on its own database that may send to loopback and retries within seconds. */
export async function openStage(
  database: { url: string; drop: () => Promise<void> },
  redisUrl: string,
  settings: Record<string, string> = {},
) {
  const config = parseConfig(webhookSenderConfig, {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_RETRY_DELAYS_S: '0,1,1,1,1',
    LOG_LEVEL: 'silent',
    ...settings,
  });
  const db = openDatabase({ url: database.url, poolSize: 4, applicationName: 'test' });
  const box = createSealedBox(config.ENCRYPTION_KEYS);
  const producing = connectProducer(config.REDIS_URL, log);
  const working = connectWorker(config.REDIS_URL, log);
  const fanout = openProducer(fanoutQueue, producing, log);
  const deliver = openProducer(deliverQueue, producing, log);
  const testCalls = openRequester(testCallQueue, producing, working);
  const start = () => startWebhookSender(config, log);
  let sender = await start();
  await until('Redis', () => producing.status === 'ready');
  return {
    db,
    box,
    config,
    fanout,
    deliver,
    testCalls,
    log,
    sender: () => sender,
    stopSender: () => sender.stop(),
    async startSender() {
      sender = await start();
    },
    addOrganization: () => addOrganization(db, box),
    addEndpoint: (organizationId: string, url: string, fields: EndpointFields = {}) =>
      addEndpoint(db, box, organizationId, url, fields),
    addEvent: (organizationId: string, type: EventType, fields: EventFields = {}) =>
      addEvent(db, organizationId, type, fields),
    async close() {
      await sender.stop();
      await Promise.all([fanout.close(), deliver.close(), testCalls.close()]);
      producing.disconnect();
      working.disconnect();
      await db.close();
      await database.drop();
    },
  };
}

async function addOrganization(db: Database, box: SealedBox) {
  const [id, secret] = [newId('org'), newWebhookSecret()];
  await db.prisma.organization.create({ data: { id, name: 'test', webhookSecret: box.seal(secret) } });
  return { id, secret };
}

type EndpointFields = {
  events?: (typeof subscribableEvents)[number][];
  models?: string[];
  payload?: 'full' | 'thin';
  dialect?: string;
  maxInFlight?: number;
  maxPerSecond?: number;
  headers?: Record<string, string>;
  failureCount?: number;
  probeAt?: Date;
  isActive?: boolean;
};

async function addEndpoint(
  db: Database,
  box: SealedBox,
  organizationId: string,
  url: string,
  { headers, events = [], ...fields }: EndpointFields,
) {
  const [id, secret] = [newId('wh'), newWebhookSecret()];
  await db.prisma.webhookEndpoint.create({
    data: {
      id,
      organizationId,
      url,
      events,
      secret: box.seal(secret),
      headers: headers ? box.seal(JSON.stringify(headers)) : null,
      ...fields,
    },
  });
  return { id, secret, read: () => db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } }) };
}

type EventFields = {
  webhookUrl?: string;
  webhookDialect?: WebhookDialect;
  createdAt?: Date;
  model?: string;
  outputText?: string;
};

/** An execution in the status that `type` reports, and its event, not yet fanned out. */
async function addEvent(db: Database, organizationId: string, type: EventType, fields: EventFields) {
  const executionId = newId('exec');
  const { webhookUrl = null, webhookDialect, createdAt = new Date(), model = 'sandbox-text' } = fields;
  const isStart = type === 'execution.started';
  const isCompleted = type === 'execution.completed';
  await db.prisma.execution.create({
    data: {
      id: executionId,
      organizationId,
      model,
      status: isStart ? 'PROCESSING' : type.replace('execution.', '').toUpperCase(),
      input: { prompt: 'hello' },
      webhookUrl,
      ...(webhookDialect && { webhookDialect }),
      holdAmount: '0.01',
      estimatedCost: '0.005',
      cost: isCompleted ? '0.004' : null,
      ...(isCompleted && {
        output: { text: fields.outputText ?? 'hello\u2028 wörld' },
        inputTokens: 3,
        outputTokens: 5,
        latencyMs: 12,
      }),
      ...(['execution.failed', 'execution.expired'].includes(type) && {
        errorCode: 'GENERATION_FAILED',
        errorMessage: 'no',
      }),
      startedAt: new Date(),
      completedAt: isStart ? null : new Date(),
      expiresAt: new Date(Date.now() + hour),
    },
  });
  const { rows } = await db.pool.query<{ eventId: string }>(
    `INSERT INTO events (id, organization_id, execution_id, type, created_at)
     VALUES (event_id($2, $3), $1, $2, $3, $4) RETURNING id AS "eventId"`,
    [organizationId, executionId, type, createdAt],
  );
  return { eventId: rows[0]?.eventId ?? '', executionId };
}
