import { readTestServers, workerNumber } from './config.ts';

/** The URL of a Redis database that no other test file uses at the same time. What the last one left is in it. */
export function testRedisUrl(): string {
  // The servers are started with 64 databases (local/redis); number 0 stays unused.
  return `${readTestServers().redisUrl}/${1 + (workerNumber() % 63)}`;
}
