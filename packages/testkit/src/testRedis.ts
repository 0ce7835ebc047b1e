import { readTestServers, workerNumber } from './config.ts';

/** A Redis database for the current test file, with leftovers of the previous one. */
export function testRedisUrl(): string {
  // Servers have 64 databases (local/redis); 0 stays unused.
  return `${readTestServers().redisUrl}/${1 + (workerNumber() % 63)}`;
}
