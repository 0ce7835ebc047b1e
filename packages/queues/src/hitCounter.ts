import { createBatcher } from '@holdfast/kit/batcher';
import { within } from '@holdfast/kit/within';
import type { Redis } from './connection.ts';

/** `hits`: the requests of the key in its window so far, this one included. */
export type CountedHit = { hits: number; resetAtMs: number };

type Hit = { key: string; atMs: number };

/**
 * Counts hits per key in windows, for all processes together; concurrent ones in one command. @throws when Redis is
 * unavailable or has not counted a hit within `timeoutMs`
 */
export function openHitCounter(
  redis: Redis,
  { windowMs, timeoutMs }: { windowMs: number; timeoutMs: number },
): (key: string) => Promise<CountedHit> {
  async function count(keys: string[], hits: number[]): Promise<Reply> {
    return (await redis.eval(countScript, keys.length, ...keys, windowMs, ...hits)) as Reply;
  }

  /** Keys of a cluster are on several of its servers. */
  async function countAll(keys: string[], hits: number[]): Promise<Reply> {
    if (!('nodes' in redis)) return await count(keys, hits);
    return (await Promise.all(keys.map((key, index) => count([key], hits.slice(index, index + 1))))).flat();
  }

  const batcher = createBatcher<Hit, CountedHit>({
    maxSize: 1000,
    async run(batch) {
      const byKey = Map.groupBy(batch, ({ key }) => key);
      const hits = [...byKey.values()].map(({ length }) => length);
      const waitedMs = performance.now() - (batch[0]?.atMs ?? 0);
      const counting = countAll([...byKey.keys()], hits);
      const counted = await within(Math.max(1, timeoutMs - waitedMs), 'counting requests', counting);
      const nowMs = Date.now();
      const next = new Map(
        [...byKey.keys()].map((key, index) => {
          const [total = 0, leftMs = 0] = counted[index] ?? [];
          return [key, { hits: total - (hits[index] ?? 0), resetAtMs: nowMs + leftMs }];
        }),
      );
      return batch.map(({ key }) => {
        const last = next.get(key) ?? { hits: 0, resetAtMs: nowMs + windowMs };
        last.hits += 1;
        return { ...last };
      });
    },
  });
  return (key) => batcher.add({ key, atMs: performance.now() });
}

type Reply = [total: number, leftMs: number][];

const countScript = `
local counted = {}
for i, key in ipairs(KEYS) do
  local total, left = redis.call('INCRBY', key, ARGV[i + 1]), redis.call('PTTL', key)
  if left < 0 then
    left = tonumber(ARGV[1])
    redis.call('PEXPIRE', key, left)
  end
  counted[i] = { total, left }
end
return counted`;
