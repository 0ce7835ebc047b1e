import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@holdfast/kit/logger';
import { within } from '@holdfast/kit/within';
import { duplicateOf, type Redis } from './connection.ts';
import { type QueueDefinition, queuePrefix } from './definitions.ts';

/** A list beside the queue: one command adds hints, one takes all that wait; a job costs six. It keeps no hint that was taken. */
export type HintReader = { stop(): Promise<void> };

const blockS = 10;
const trialS = 0.01;
const responseWithinMs = 5000;
const stopWithinMs = 2000;
const wakeTtlMs = 10_000;
const retryAfterMs = 1000;
const pausedForMs = 500;
const maxAtOnce = 100;
/** Hints become jobs after this time without a reader. */
const readerTtlMs = 30_000;

type Hint = { addedAtMs: number; data: unknown };

const keysOf = (name: string) => ({
  reader: `${queuePrefix(name)}:${name}:reader`,
  meta: `${queuePrefix(name)}:${name}:meta`,
  list: `${queuePrefix(name)}:${name}:hints`,
});

/** Returns false, and adds nothing, when no process reads the list or the queue is paused. @throws without Redis */
export async function pushHints<Payload>(
  redis: Redis,
  { name }: QueueDefinition<Payload>,
  payloads: Payload[],
): Promise<boolean> {
  const { reader, meta, list } = keysOf(name);
  const hints = payloads.map((data) => JSON.stringify({ addedAtMs: Date.now(), data } satisfies Hint));
  return (await redis.eval(push, 3, reader, meta, list, ...hints)) === 1;
}

// A process of the previous version reads jobs only.
const push = `
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[2], 'paused') == 1 then return 0 end
redis.call('RPUSH', KEYS[3], unpack(ARGV))
return 1`;

export async function readHintDepth(
  redis: Redis,
  name: string,
): Promise<{ waiting: number; oldestAtMs: number | null }> {
  const { list } = keysOf(name);
  const [waiting, oldest] = await Promise.all([redis.llen(list), redis.lindex(list, 0)]);
  return { waiting, oldestAtMs: oldest === null ? null : (JSON.parse(oldest) as Hint).addedAtMs };
}

/** The connection that it copies reports that Redis is unavailable. */
const connectReader = (redis: Redis): Redis => duplicateOf(redis).on('error', () => {});

/** Hands over hints as they come, on its own connection, while fewer than `concurrency` are in work. */
export function startHintReader(args: {
  name: string;
  redis: Redis;
  concurrency: number;
  log: Logger;
  take(data: unknown): Promise<void>;
}): HintReader {
  const { name, redis, concurrency, log } = args;
  const { reader, meta, list } = keysOf(name);
  const wakeKey = `${list}:stop:${randomUUID()}`;
  let connection = connectReader(redis);
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  /** A Redis older than 7.0 lacks the command: its hints must stay jobs. */
  let canRead = false;
  /** Hints may have been left in the list before the queue was paused: later ones are not added to it. */
  let mayBeLeft = true;
  let inWork = 0;
  let onRoom: (() => void) | null = null;
  const stopping = new AbortController();

  async function read(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (inWork >= concurrency) await new Promise<void>((resolve) => (onRoom = resolve));
      if (stopping.signal.aborted) break;
      try {
        const hints = await next();
        if (stopping.signal.aborted) await putBack(hints);
        else for (const hint of hints) void work(hint);
      } catch (error) {
        if (stopping.signal.aborted) break;
        log.debug({ err: error, queue: name }, 'could not read hints');
        // A command without a response must not take hints later, when no one waits for it.
        connection.disconnect();
        canRead = false;
        announcedAtMs = Number.NEGATIVE_INFINITY;
        await sleep(retryAfterMs);
        connection = connectReader(redis);
      }
    }
    connection.disconnect();
  }

  async function next(): Promise<string[]> {
    if (canRead) announce();
    if (mayBeLeft && (await within(responseWithinMs, 'reading hints', connection.hexists(meta, 'paused')))) {
      await sleep(pausedForMs);
      return [];
    }
    const count = Math.min(maxAtOnce, concurrency - inWork);
    const found = connection.blmpop(canRead ? blockS : trialS, 2, wakeKey, list, 'LEFT', 'COUNT', count);
    const [key, members] = (await within(blockS * 1000 + responseWithinMs, 'reading hints', found)) ?? [];
    canRead = true;
    const hints = key === list ? (members ?? []) : [];
    mayBeLeft = hints.length === count;
    return hints;
  }

  /** For another process: this one would leave them to the sweep. */
  async function putBack(hints: string[]): Promise<void> {
    if (hints.length > 0) await connection.lpush(list, ...hints.toReversed());
  }

  function announce(): void {
    const nowMs = performance.now();
    if (nowMs - announcedAtMs < readerTtlMs / 3) return;
    announcedAtMs = nowMs;
    connection.set(reader, '1', 'PX', readerTtlMs).catch(() => (announcedAtMs = Number.NEGATIVE_INFINITY));
  }

  async function work(hint: string): Promise<void> {
    inWork += 1;
    try {
      await args.take((JSON.parse(hint) as Hint).data);
    } catch (error) {
      log.warn({ err: error, queue: name }, 'hint lost; the sweep will add it');
    } finally {
      inWork -= 1;
      onRoom?.();
      onRoom = null;
    }
  }

  const reading = read();
  return {
    async stop() {
      stopping.abort();
      onRoom?.();
      // Wakes the reader: closing its connection could lose hints on their way.
      if (redis.status === 'ready') {
        const woken = redis.multi().rpush(wakeKey, '').pexpire(wakeKey, wakeTtlMs).exec();
        woken.catch(() => {});
      }
      await within(stopWithinMs, 'stopping', reading).catch(() => connection.disconnect());
    },
  };
}
