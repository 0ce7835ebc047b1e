import { Queue } from 'bullmq';
import type { Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './queue.ts';

/** Lets no worker take jobs of a queue, which can still be added to; answers what lets them go on. */
export async function pauseQueue<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
): Promise<() => Promise<void>> {
  const queue = new Queue(definition.name, { connection: redis, prefix: queuePrefix(definition.name) });
  await queue.pause();
  return async () => {
    await queue.resume();
    await queue.close();
  };
}
