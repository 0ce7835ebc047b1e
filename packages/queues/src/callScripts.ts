import type { Redis } from './connection.ts';

/**
 * Sends a command of one key, or `SCRIPT LOAD`, which in a cluster goes to every master: the key of the script's next
 * call may be at any of them.
 */
export async function callScripts(redis: Redis, command: string, args: string[]): Promise<unknown> {
  if (!('nodes' in redis) || command !== 'SCRIPT') return await redis.call(command, ...args);
  const answers = await Promise.all(redis.nodes('master').map((node) => node.call(command, ...args)));
  return answers[0];
}
