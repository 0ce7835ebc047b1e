import type { Redis } from './connection.ts';
import { queuePrefix } from './definitions.ts';

/** The keys that a queue has under its name, with their types. Beside them it has a hash for each job. */
const types = {
  wait: 'list',
  active: 'list',
  paused: 'list',
  delayed: 'zset',
  prioritized: 'zset',
  'waiting-children': 'zset',
  completed: 'zset',
  failed: 'zset',
  marker: 'zset',
  stalled: 'set',
  meta: 'hash',
  events: 'stream',
  id: 'string',
  pc: 'string',
  limiter: 'string',
  'stalled-check': 'string',
} as const;

export type ForeignKey = { key: string; type: string; expected: string };

/** Keys of another type than the queue gives them: something else writes to this Redis, and the queue is unusable (WRONGTYPE). */
export async function readForeignKeys(redis: Redis, queue: string): Promise<ForeignKey[]> {
  const named = Object.entries(types).map(
    ([name, expected]) => [`${queuePrefix(queue)}:${queue}:${name}`, expected] as const,
  );
  return await filterForeign(redis, named);
}

/** Takes keys with the types that they should have. A key that does not exist is not foreign. */
export async function filterForeign(
  redis: Redis,
  keys: readonly (readonly [key: string, expected: string])[],
): Promise<ForeignKey[]> {
  const found = await Promise.all(
    keys.map(async ([key, expected]) => ({ key, type: await redis.type(key), expected })),
  );
  return found.filter(({ type, expected }) => type !== 'none' && type !== expected);
}
