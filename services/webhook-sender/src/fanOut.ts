import type { Database } from '@holdfast/db/client';
import { readEventsToFanOut, readReceivers } from '@holdfast/db/webhooks/fanOut';
import { createBatcher } from '@holdfast/kit/batcher';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';
import { createShares } from '@holdfast/kit/shares';
import { inPortions, type PlannedEvent, planFanOut } from './fanOutPlan.ts';
import { createFanOutWrite, type FanOutWriteServices } from './fanOutWrite.ts';
import { watchStarted } from './updates.ts';

export type FanOut = {
  /** Resolves when the event is fanned out, or waits for its turn; then a sweep would find it again. */
  add(eventId: string): Promise<void>;
  /** Ends what is under way. */
  stop(): Promise<void>;
};

/** For events with more receivers, organizations take turns. */
const fewReceivers = 32;
const maxOfTurn = 25;
/** Events that wait for their turn, a few megabytes of ids. A sweep finds the others. */
const maxWaiting = 20_000;

export function createFanOut(
  args: FanOutWriteServices & {
    /** Size of the bodies that are read at once. */
    bodyBytes: number;
  },
): FanOut {
  const { db, log, bodyBytes } = args;
  const write = createFanOutWrite(args);
  /** Events with many receivers by organization, until they are fanned out. */
  const waiting = new Map<string, Set<string>>();
  const shares = createShares(maxWaiting);
  const inTurn = createFairLimiter(2, 1);
  let isStopping = false;
  const batcher = createBatcher<string, string | null>({ maxSize: 200, concurrency: 2, run: fanOutFew });

  const isWaiting = (eventId: string) => [...waiting.values()].some((ids) => ids.has(eventId));

  async function add(eventId: string): Promise<void> {
    // A sweep finds them too.
    if (isWaiting(eventId)) return;
    const organizationId = await batcher.add(eventId);
    if (organizationId === null || isWaiting(eventId) || shares.roomOf(organizationId) === 0) return;
    const others = waiting.get(organizationId) ?? new Set();
    waiting.set(organizationId, others.add(eventId));
    shares.take(organizationId, 1);
    void inTurn(organizationId, () => fanOutMany(organizationId));
  }

  /** Returns the organization of each event with many receivers. */
  async function fanOutFew(eventIds: string[]): Promise<(string | null)[]> {
    const startedAtMs = Date.now();
    const isFew = ({ receivers }: PlannedEvent) => receivers.length <= fewReceivers;
    const organizations = new Map<string, string>();
    for await (const planned of plan(db, eventIds, bodyBytes)) {
      for (const portion of inPortions(planned.filter(isFew))) await write(portion, startedAtMs);
      const many = planned.filter((one) => !isFew(one));
      for (const { event } of many) organizations.set(event.id, event.organizationId);
    }
    return eventIds.map((id) => organizations.get(id) ?? null);
  }

  async function fanOutMany(organizationId: string): Promise<void> {
    const ids = [...(waiting.get(organizationId) ?? [])].slice(0, maxOfTurn);
    const startedAtMs = Date.now();
    try {
      for await (const planned of plan(db, isStopping ? [] : ids, bodyBytes)) {
        for (const portion of inPortions(planned)) await write(portion, startedAtMs);
      }
    } catch (error) {
      log.warn({ err: error, organizationId }, 'could not fan out events; a sweep will retry');
    }
    const left = waiting.get(organizationId);
    for (const id of ids) left?.delete(id);
    if (left?.size === 0) waiting.delete(organizationId);
    shares.give(organizationId, ids.length);
  }

  return {
    add,
    async stop() {
      isStopping = true;
      await Promise.all([batcher.idle(), shares.idle()]);
    },
  };
}

/** Reads and plans events in parts, as their bodies allow. */
async function* plan(db: Database, eventIds: string[], bodyBytes: number): AsyncGenerator<PlannedEvent[]> {
  const rest = new Set(eventIds);
  while (rest.size > 0) {
    const ids = [...rest];
    const [events, receivers] = await Promise.all([
      readEventsToFanOut(db, ids, bodyBytes),
      readReceivers(db, ids),
    ]);
    if (events.length === 0) return;
    await watchStarted(db, events);
    yield planFanOut(events, receivers);
    for (const { id } of events) rest.delete(id);
  }
}
