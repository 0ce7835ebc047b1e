import { randomUUID } from 'node:crypto';
import type { Turn } from '@holdfast/kit/sweep';
import { within } from '@holdfast/kit/within';
import type { Redis } from './connection.ts';

const answerWithinMs = 500;
/** Three of the intervals in which readings are made. */
const usuallyHoldMs = 45_000;

/**
 * Whether this copy of a service is the one that does something: unlike a turn (see `openTurns`) it stays with the same
 * copy, as long as that one asks at least every `holdMs`. With Redis away everybody is, for nobody can know.
 */
export function openLead(redis: Redis, name: string, holdMs = usuallyHoldMs): Turn {
  const id = randomUUID();
  const ask = async () => (await redis.eval(script, 1, `holdfast:lead:${name}`, id, holdMs)) === 1;
  return () => within(answerWithinMs, 'asking who leads', ask()).catch(() => true);
}

const script = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
