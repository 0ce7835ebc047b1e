import { within } from '@holdfast/kit/within';
import { QueueEvents } from 'bullmq';
import type { Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';
import { openQueue, toJob } from './producer.ts';

export type Requester<Payload> = {
  /** Adds a job and waits for what its worker returns. @throws when Redis is away, the job fails or time runs out */
  request(payload: Payload, timeoutMs: number): Promise<unknown>;
  close(): Promise<void>;
};

const closeWithinMs = 1000;

/** For the rare work a client waits for: a job whose result is read back through Redis. */
export function openRequester<Payload>(
  definition: QueueDefinition<Payload>,
  producer: Redis,
  worker: Redis,
): Requester<Payload> {
  const queue = openQueue(definition.name, producer);
  let opened: QueueEvents | null = null;

  /** Opened by the first request: it holds a connection of its own, which can't be closed while Redis is away. */
  function events(): QueueEvents {
    opened ??= new QueueEvents(definition.name, {
      connection: worker,
      prefix: queuePrefix(definition.name),
    }).on('error', () => {});
    return opened;
  }

  async function run(payload: Payload, timeoutMs: number): Promise<unknown> {
    const jobs = queue();
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
