import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import type { Database } from '@holdfast/db/client';
import { persistently } from '@holdfast/db/persistently';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { type Settling, settleJobs } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';
import { storableOutcome } from './storableOutcome.ts';

/** A result that is never written down is lost, and the run has failed. */
const recordForMs = 60_000;

export type OutcomeRecorder = {
  /**
   * Writes how a run ended, once, then hints the ledger to settle it. False: it had ended before, and this outcome is dropped.
   */
  record(
    attemptId: string,
    outcome: RecordedOutcome,
    state: 'succeeded' | 'failed' | 'unknown',
    /** What the provider said went wrong, before it was mapped. */
    rawError?: string | null,
  ): Promise<boolean>;
  idle(): Promise<void>;
};

export function openOutcomeRecorder(args: {
  db: Database;
  settle: Producer<Settling>;
  log: Logger;
}): OutcomeRecorder {
  const { db, settle, log } = args;
  const batcher = createBatcher<Parameters<typeof recordOutcomes>[1][number], boolean>({
    maxSize: 256,
    async run(outcomes) {
      const recorded = new Set(await persistently(log, recordForMs, () => recordOutcomes(db, outcomes)));
      const hints = outcomes.filter(({ attemptId }) => recorded.has(attemptId));
      void settle.addAll(settleJobs(hints.map(({ attemptId, outcome }) => ({ attemptId, ok: outcome.ok }))));
      return outcomes.map(({ attemptId }) => recorded.has(attemptId));
    },
  });
  return {
    async record(attemptId, outcome, state, rawError = null) {
      const storable = storableOutcome(outcome);
      return await batcher.add({
        attemptId,
        outcome: storable,
        state: storable.ok === outcome.ok ? state : 'failed',
        rawError,
      });
    },
    idle: batcher.idle,
  };
}
