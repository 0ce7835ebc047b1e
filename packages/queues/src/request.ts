import { within } from '@holdfast/kit/within';
import { QueueEvents } from 'bullmq';
import type { Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';
import { openQueue, toJob } from './producer.ts';

export type Requester<Payload> = {
  /** Returns the worker's result. @throws when Redis is unavailable, the job fails or times out */
  request(payload: Payload, timeoutMs: number): Promise<unknown>;
  close(): Promise<void>;
};

const closeWithinMs = 1000;

export function openRequester<Payload>(
  definition: QueueDefinition<Payload>,
  producer: Redis,
  worker: Redis,
): Requester<Payload> {
  const queue = openQueue(definition.name, producer);
  let opened: QueueEvents | null = null;

  /** Opened on the first request: it needs its own connection, which cannot be closed while Redis is unavailable. */
  function events(): QueueEvents {
    opened ??= new QueueEvents(definition.name, {
      connection: worker,
      prefix: queuePrefix(definition.name),
    }).on('error', () => {});
    return opened;
  }

  async function run(payload: Payload, timeoutMs: number): Promise<unknown> {
    // Each request that waits adds a listener.
    const jobs = queue().setMaxListeners(0);
    await events().waitUntilReady();
    const { name, data, opts } = toJob(definition, payload);
    const job = await jobs.add(name, data, {
      ...opts,
      removeOnComplete: { age: 60 },
      removeOnFail: { age: 60 },
    });
    return await job.waitUntilFinished(events(), timeoutMs);
  }

  return {
    request: (payload, timeoutMs) => within(timeoutMs, definition.name, run(payload, timeoutMs)),
    async close() {
      await within(closeWithinMs, 'closing', opened?.close() ?? Promise.resolve()).catch(() => {});
      if (producer.status !== 'ready') return;
      await within(closeWithinMs, 'closing', queue().close()).catch(() => {});
    },
  };
}
