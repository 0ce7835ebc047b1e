import { within } from '@holdfast/kit/within';
import { type Queue, QueueEvents } from 'bullmq';
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
  async function events(jobs: Queue): Promise<QueueEvents> {
    // By default it would read what comes after its first read, which may be later than the end of the first job.
    const [last] = opened ? [] : await producer.xrevrange(jobs.toKey('events'), '+', '-', 'COUNT', 1);
    opened ??= new QueueEvents(definition.name, {
      connection: worker,
      prefix: queuePrefix(definition.name),
      lastEventId: last?.[0] ?? '0-0',
    }).on('error', () => {});
    await opened.waitUntilReady();
    return opened;
  }

  async function run(payload: Payload, timeoutMs: number): Promise<unknown> {
    // Each request that waits adds a listener.
    const jobs = queue().setMaxListeners(0);
    const ends = await events(jobs);
    const { name, data, opts } = toJob(definition, payload);
    const job = await jobs.add(name, data, {
      ...opts,
      removeOnComplete: { age: 60 },
      removeOnFail: { age: 60 },
    });
    return await job.waitUntilFinished(ends, timeoutMs);
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
