import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { Queue } from 'bullmq';
import type { Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';

export type Producer<Payload> = {
  /** Adds a job, together with others being added. Never throws: a sweep finds lost jobs. */
  add(payload: Payload): Promise<void>;
  /** False when Redis did not take them all. */
  addAll(payloads: Payload[]): Promise<boolean>;
  close(): Promise<void>;
};

const responseWithinMs = 5000;
/** Redis is single-threaded: a large sweep must not block others. */
const maxAtOnce = 100;

export function openProducer<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
  log: Logger,
): Producer<Payload> {
  const queue = openQueue(definition.name, redis);
  let isRefusing = false;

  async function send(payloads: Payload[]): Promise<void> {
    await queue().addBulk(payloads.map((payload) => toJob(definition, payload)));
  }

  async function addBulk(payloads: Payload[]): Promise<boolean> {
    if (payloads.length === 0) return true;
    try {
      await within(responseWithinMs, 'adding jobs', send(payloads));
      isRefusing = false;
      return true;
    } catch (error) {
      if (!isRefusing)
        log.warn({ err: error, queue: definition.name }, 'jobs are not added; sweeps find their work');
      isRefusing = true;
      return false;
    }
  }

  const batcher = createBatcher<Payload, undefined>({
    maxSize: 500,
    async run(payloads) {
      await addBulk(payloads);
      return payloads.map(() => undefined);
    },
  });
  async function addAll(payloads: Payload[]): Promise<boolean> {
    for (let added = 0; added < payloads.length; added += maxAtOnce) {
      if (!(await addBulk(payloads.slice(added, added + maxAtOnce)))) return false;
    }
    return true;
  }

  return {
    add: (payload) => batcher.add(payload),
    addAll,
    async close() {
      await batcher.idle();
      if (redis.status !== 'ready') return;
      await within(responseWithinMs, 'closing', queue().close()).catch(() => undefined);
    },
  };
}

/** Throws while Redis is unavailable, where BullMQ would wait. A queue whose first commands failed never recovers. */
export function openQueue(name: string, redis: Redis, { skipVersionCheck = false } = {}): () => Queue {
  let queue: Queue | null = null;
  function open(): Queue {
    const opened = new Queue(name, { connection: redis, prefix: queuePrefix(name), skipVersionCheck });
    opened.on('error', () => {}); // The connection itself reports that Redis is unavailable.
    opened.waitUntilReady().catch(() => {
      if (queue === opened) queue = null;
    });
    return opened;
  }
  return () => {
    if (redis.status !== 'ready') throw new Error('Redis is unavailable');
    queue ??= open();
    return queue;
  };
}

export function toJob<Payload>(definition: QueueDefinition<Payload>, payload: Payload) {
  return {
    name: definition.name,
    data: payload,
    opts: {
      jobId: definition.jobId(payload),
      attempts: definition.tries,
      backoff: { type: 'exponential', delay: 500 },
      // A retained job would block a later one with its id.
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}
