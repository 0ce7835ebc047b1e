import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type QueueDefinition, queuePrefix } from './queue.ts';

export type Producer<Payload> = {
  /**
   * Adds a job, in one round trip with the others that are being added. Never throws: a lost job is found by a sweep.
   */
  add(payload: Payload): Promise<void>;
  /** Adds many. Never throws. */
  addAll(payloads: Payload[]): Promise<void>;
  /** Jobs waiting to be taken. @throws while Redis is away */
  waiting(): Promise<number>;
  close(): Promise<void>;
};

/** Opens the sending side of a queue on a connection of `connectProducer`. */
export function openProducer<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
  log: Logger,
): Producer<Payload> {
  const queue = openQueue(definition.name, redis);
  queue.on('error', () => {}); // The connection itself reports that Redis is away.

  async function addBulk(payloads: Payload[]): Promise<void> {
    if (payloads.length === 0) return;
    try {
      await queue.addBulk(payloads.map((payload) => toJob(definition, payload)));
    } catch (error) {
      log.warn(
        { err: error, queue: definition.name, jobs: payloads.length },
        'jobs not added; the sweep will',
      );
    }
  }

  const batcher = createBatcher<Payload, undefined>({
    maxSize: 500,
    async run(payloads) {
      await addBulk(payloads);
      return payloads.map(() => undefined);
    },
  });
  return {
    add: (payload) => batcher.add(payload),
    addAll: addBulk,
    waiting: () => queue.getWaitingCount(),
    async close() {
      await batcher.idle();
      await queue.close();
    },
  };
}

export function openQueue(name: string, redis: Redis): Queue {
  return new Queue(name, { connection: redis, prefix: queuePrefix(name), skipWaitingForReady: true });
}

export function toJob<Payload>(definition: QueueDefinition<Payload>, payload: Payload) {
  return {
    name: definition.name,
    data: payload,
    opts: {
      jobId: definition.jobId(payload),
      attempts: definition.tries,
      backoff: { type: 'exponential', delay: 500 },
      // A retained job would block a later one of the same id.
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}
