import { QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { openQueue, toJob } from './producer.ts';
import { type QueueDefinition, queuePrefix } from './queue.ts';

export type Requester<Payload> = {
  /** Adds a job and waits for what its worker returns. @throws when Redis is away, the job fails or time runs out */
  request(payload: Payload, timeoutMs: number): Promise<unknown>;
  close(): Promise<void>;
};

/** For the rare work a client waits for: a job whose result is read back through Redis. */
export function openRequester<Payload>(
  definition: QueueDefinition<Payload>,
  producer: Redis,
  worker: Redis,
): Requester<Payload> {
  const queue = openQueue(definition.name, producer);
  const events = new QueueEvents(definition.name, {
    connection: worker,
    prefix: queuePrefix(definition.name),
  });
  events.on('error', () => {});
  return {
    async request(payload, timeoutMs) {
      const jobs = queue();
      await events.waitUntilReady();
      const { name, data, opts } = toJob(definition, payload);
      const job = await jobs.add(name, data, {
        ...opts,
        removeOnComplete: { age: 60 },
        removeOnFail: { age: 60 },
      });
      return job.waitUntilFinished(events, timeoutMs);
    },
    async close() {
      await events.close();
      if (producer.status === 'ready') await queue().close();
    },
  };
}
