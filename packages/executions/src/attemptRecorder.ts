import {
  type BusyRefusal,
  type EndedAttempt,
  endedAttempts,
  type Refusal,
  type ReportedProgress,
  type RunningAttempt,
  recordBusyRefusals,
  recordOutcomes,
  recordProgress,
  recordRefusals,
  recordRunning,
} from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { isLockTimeout, isTransient, retryTransient, staleServerError } from '@holdfast/db/faults';
import { lockedAttempts } from '@holdfast/db/locks';
import { limits } from '@holdfast/domain/limits';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import type { Batcher } from '@holdfast/kit/batcher';
import { createIsolatedBatcher } from '@holdfast/kit/isolatedBatcher';
import type { Logger } from '@holdfast/kit/logger';
import type { PublishChanges } from '@holdfast/queues/changes';
import { type SettleJob, settleJobs } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';

/** A write is retried for this time. After that another dispatcher takes the attempt over and queries its provider. */
const retryForMs = 60_000;
const maxBatch = 256;

/** Writes to the database what becomes of attempts; concurrent writes of one kind share a statement. */
export type AttemptRecorder = {
  /** Stores the handle; with a callback PROCESSING -> AWAITING_WEBHOOK. False: the run has already ended. */
  recordRunning(attempt: RunningAttempt): Promise<boolean>;
  /** Never throws: progress that was not written comes with the next response of the provider. */
  recordProgress(progress: ReportedProgress): Promise<void>;
  /** Ends an attempt that its provider did not accept, and inserts the next one. */
  recordRefusal(refusal: Refusal): Promise<void>;
  recordBusyRefusal(refusal: BusyRefusal): Promise<void>;
  /** Then hints the ledger to settle it. False: the run had ended before, and not by this call; or its success can't be stored, and it failed. */
  recordOutcome(
    attemptId: string,
    outcome: RecordedOutcome,
    state: 'succeeded' | 'failed' | 'unknown',
    forOperators?: Pick<EndedAttempt, 'rawError' | 'providerCost'>,
  ): Promise<boolean>;
  idle(): Promise<void>;
};

type State = 'recorded' | 'ended';
/** Attempts that the database does not know, or still has as open, are not in it. */
type States = Map<string, State>;

export function openAttemptRecorder(args: {
  db: Database;
  settle: Producer<SettleJob>;
  publishChanges: PublishChanges;
  log: Logger;
}): AttemptRecorder {
  const { db, settle, publishChanges, log } = args;
  const write: Write = (statement) => retryTransient(log, retryForMs, statement, isRetryable);
  const batchers: Batcher<never, unknown>[] = [];
  const ended = (ids: string[]) => write(() => endedAttempts(db, ids));

  /** Repeated alone when it was not recorded, so that an attempt that stays unknown delays no other. */
  const untilKnown = <Item>({ add }: Batcher<Item, State | null>, item: Item): Promise<boolean> =>
    write(async () => {
      const state = await add(item);
      if (state === null) throw staleServerError('the database does not know the attempt');
      return state === 'recorded';
    });

  /** A row that another session locks holds up its attempt only. */
  function isolated<Item extends { attemptId: string }, Result>(
    run: (items: Item[]) => Promise<Result[]>,
    maxBlockedMs = retryForMs,
  ): Batcher<Item, Result> {
    const batcher = createIsolatedBatcher<Item, Result>({
      maxSize: maxBatch,
      run,
      isLockTimeout,
      maxBlockedMs,
      async ownersOf(items) {
        const ids = items.map(({ attemptId }) => attemptId);
        const locked = await lockedAttempts(db, ids);
        return ids.map((id) => ({ owner: id, isBlocked: locked.has(id) }));
      },
      onBlocked: (attemptId) => log.warn({ attemptId }, 'recording of an attempt delayed by a locked row'),
    });
    batchers.push(batcher);
    return batcher;
  }

  const recorded = <Item extends { attemptId: string }>(writeStates: (items: Item[]) => Promise<States>) =>
    isolated<Item, State | null>(async (items) => {
      const states = await writeStates(items);
      return items.map(({ attemptId }) => states.get(attemptId) ?? null);
    });
  const unanswered = <Item extends { attemptId: string }>(writeAll: (items: Item[]) => Promise<unknown>) =>
    isolated<Item, void>(async (items) => {
      await write(() => writeAll(items));
      return items.map(() => undefined);
    });

  const running = recorded(async (attempts: RunningAttempt[]) => {
    return await stateOf(attempts, await write(() => recordRunning(db, attempts)), ended);
  });
  const progress = isolated(async (items: ReportedProgress[]) => {
    try {
      await recordProgress(db, items);
      publishChanges(
        items.map(({ executionId }) => executionId),
        null,
      );
    } catch (error) {
      if (isLockTimeout(error)) throw error;
      log.warn({ err: error }, 'could not record the progress of runs');
    }
    return items.map(() => undefined);
  }, 0);
  const refusals = unanswered((items: Refusal[]) => recordRefusals(db, items));
  const busyRefusals = unanswered((items: BusyRefusal[]) => recordBusyRefusals(db, items));
  const outcomes = recorded(async (items: EndedAttempt[]) => {
    const states = await stateOf(items, await writeOutcomes(db, write, items), ended);
    const hints = items.filter(({ attemptId }) => states.get(attemptId) === 'recorded');
    void settle.addAll(settleJobs(hints.map(({ attemptId, outcome }) => ({ attemptId, ok: outcome.ok }))));
    return states;
  });

  return {
    recordRunning: (attempt) => untilKnown(running, attempt),
    async recordProgress(item) {
      await progress.add(item).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
      });
    },
    recordRefusal: refusals.add,
    recordBusyRefusal: busyRefusals.add,
    async recordOutcome(attemptId, outcome, state, forOperators) {
      const storable = storableOutcome(outcome);
      const isWhole = storable.outcome.ok === outcome.ok;
      const item = { attemptId, ...storable, state: isWhole ? state : 'failed', ...forOperators } as const;
      return (await untilKnown(outcomes, item)) && isWhole;
    },
    async idle() {
      await Promise.all(batchers.map((batcher) => batcher.idle()));
    },
  };
}

/** What waits for a lock is set aside. */
const isRetryable = (error: unknown) => isTransient(error) && !isLockTimeout(error);

type Write = <Result>(statement: () => Promise<Result>) => Promise<Result>;

/** Returns the ids that this call may have ended: after a try without a response, its output must be kept. */
async function writeOutcomes(db: Database, write: Write, items: EndedAttempt[]): Promise<string[]> {
  let isRepeated = false;
  const recorded = await write(() =>
    recordOutcomes(db, items).catch((error: unknown) => {
      isRepeated = true;
      throw error;
    }),
  );
  if (!isRepeated) return recorded;
  const ids = items.map(({ attemptId }) => attemptId);
  return [...recorded, ...(await write(() => endedAttempts(db, ids)))];
}

/** A server that was the primary before a failover does not know newer attempts, and finds none to update. */
async function stateOf(
  items: readonly { attemptId: string }[],
  recorded: string[],
  endedAmong: (ids: string[]) => Promise<string[]>,
): Promise<States> {
  const states: States = new Map(recorded.map((id) => [id, 'recorded']));
  const missed = items.map(({ attemptId }) => attemptId).filter((id) => !states.has(id));
  if (missed.length > 0) for (const id of await endedAmong(missed)) states.set(id, 'ended');
  return states;
}

const maxInt4 = 2_147_483_647;

// An outcome that the database could not store or read would be retried forever, and its hold never resolved.
function storableOutcome(outcome: RecordedOutcome): Pick<EndedAttempt, 'outcome' | 'outputJson'> {
  if (!outcome.ok)
    return { outcome: { ...outcome, message: outcome.message.slice(0, limits.errorMessageLength) } };
  const outputJson = storableOutput(outcome.output);
  if (outputJson === null) return failure('The output of the model is too large to be stored.');
  if (!isCharge(outcome.cost)) return failure('The usage that the model reported could not be priced.');
  const inputTokens = Math.min(outcome.inputTokens, maxInt4);
  const outputTokens = Math.min(outcome.outputTokens, maxInt4);
  return { outcome: { ...outcome, inputTokens, outputTokens }, outputJson };
}

function failure(message: string): { outcome: RecordedOutcome } {
  return { outcome: { ok: false, code: 'GENERATION_FAILED', message } };
}

/**
 * A charge may have any size: one that no balance could hold is settled at the hold, and an operator decides about the
 * rest.
 */
function isCharge(cost: string): boolean {
  return /^\d{1,1000}(\.\d{1,8})?$/.test(cost);
}

/** As JSON; null: it is too large or too deep. */
function storableOutput(output: unknown): string | null {
  if (isDeeperThan(limits.jsonDepth, output)) return null;
  const json = JSON.stringify(output);
  return json.length <= limits.outputLength ? json : null;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child));
}
