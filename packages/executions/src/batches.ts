import { setTimeout as delay } from 'node:timers/promises';
import { admitItems } from '@holdfast/db/batches/admit';
import {
  closeItems,
  type DueBatch,
  dueBatches,
  endBatch,
  finishBatch,
  hasInteractive,
  pauseBatch,
  resumeCovered,
} from '@holdfast/db/batches/turns';
import type { Database } from '@holdfast/db/client';
import { cancelOfBatch } from '@holdfast/db/executions/endings';
import { isLockTimeout } from '@holdfast/db/faults';
import { batchRank } from '@holdfast/domain/execution';
import { newId } from '@holdfast/domain/ids';
import type { Logger } from '@holdfast/kit/logger';
import { dispatchJobs, type dispatchQueue, type PayloadOf } from '@holdfast/queues/definitions';
import type { Producer } from '@holdfast/queues/producer';
import { type EndingHints, hintStop, type OnEnded } from './hints.ts';

export type BatchTurns = {
  db: Database;
  hints: EndingHints;
  dispatch: Producer<PayloadOf<typeof dispatchQueue>>;
  /** How many executions of a batch may be open at once. */
  maxOpen: number;
  onCancelled: OnEnded;
  log: Logger;
};

/** Items of one admission: batches take turns, and none locks a balance for long. */
const admittedAtOnce = 256;
/**
 * Beside other executions, admissions are small, and pause for a multiple of their own duration: what follows them to the
 * settlement is as small, and a busy system slows them down. All batches have `politeTurnMs` together.
 */
const politeAtOnce = 8;
const pausesPerAdmission = 3;
const minPauseMs = 20;
const politeTurnMs = 1000;

/** The time that a batch has for its admissions; null: as long as there is room. */
type Polite = { forMs: number } | null;
const closedAtOnce = 1000;
const cancelledAtOnce = 256;

/**
 * Does for each batch what is due: admits items, pauses, resumes, closes and ends it. Any number of processes may do it at once,
 * and one that dies leaves nothing behind: every step is a guarded statement.
 */
export async function turnBatches(turns: BatchTurns): Promise<void> {
  for (let after = ''; ; ) {
    const due = await dueBatches(turns.db, after, turns.maxOpen);
    const isPolite = due.length > 0 && (await hasInteractive(turns.db));
    const polite = isPolite ? { forMs: politeTurnMs / due.length } : null;
    for (const batch of due) await turnOne(turns, batch, polite);
    after = due.at(-1)?.id ?? '';
    if (after === '') return;
  }
}

async function turnOne(turns: BatchTurns, batch: DueBatch, polite: Polite): Promise<void> {
  try {
    await turnBatch(turns, batch, polite);
  } catch (error) {
    // The balance is locked by another session: the next sweep tries again, and the other batches must not wait.
    if (!isLockTimeout(error)) turns.log.error({ err: error, batchId: batch.id }, 'batch was not advanced');
  }
}

async function turnBatch(turns: BatchTurns, batch: DueBatch, polite: Polite): Promise<void> {
  const { db } = turns;
  if (batch.status === 'finishing') return await finish(turns, batch);
  if (batch.isOverdue) {
    if (await finishBatch(db, batch, 'expired')) await finish(turns, { ...batch, endsAs: 'expired' });
    return;
  }
  if (batch.status === 'paused' && !(await resumeCovered(db, batch))) return;
  if (batch.waiting > 0) await admit(turns, batch, polite);
  else if (await finishBatch(db, batch, 'completed')) await finish(turns, { ...batch, endsAs: 'completed' });
}

/** Admits as many groups as there is room for. */
async function admit({ db, dispatch, maxOpen }: BatchTurns, batch: DueBatch, polite: Polite): Promise<void> {
  const atOnce = polite ? politeAtOnce : admittedAtOnce;
  const untilMs = performance.now() + (polite?.forMs ?? Number.POSITIVE_INFINITY);
  for (let isFull = true; isFull && performance.now() < untilMs; ) {
    const startedAtMs = performance.now();
    const ids = Array.from({ length: atOnce }, () => newId('exec'));
    const { created, blockedBy } = await admitItems(db, batch, ids, maxOpen);
    const jobs = created.map(
      ({ id, model }) =>
        [id, batch.organizationId, model, batchRank] satisfies [string, string, string, number],
    );
    void dispatch.addAll(dispatchJobs(jobs));
    isFull = created.length === atOnce;
    if (polite) await delay(Math.max(minPauseMs, pausesPerAdmission * (performance.now() - startedAtMs)));
    if (blockedBy === null) continue;
    const isCancelled = blockedBy === 'insufficient_balance' && batch.onInsufficientBalance === 'cancel';
    if (isCancelled && created.length === 0 && batch.running === 0) await finishBatch(db, batch, 'cancelled');
    else await pauseBatch(db, batch, blockedBy);
  }
}

async function finish(turns: BatchTurns, batch: DueBatch): Promise<void> {
  const { db, hints, onCancelled } = turns;
  if (batch.endsAs !== 'completed') {
    while ((await closeItems(db, batch.id, closedAtOnce)) === closedAtOnce) {}
  }
  if (batch.endsAs === 'cancelled') {
    for (let ended = cancelledAtOnce; ended === cancelledAtOnce; ) {
      const startedAtMs = Date.now();
      const cancelled = await cancelOfBatch(db, batch.id, cancelledAtOnce);
      ended = cancelled.length;
      onCancelled(cancelled, startedAtMs);
      void hintStop(hints, 'CANCELLED', cancelled);
    }
  }
  await endBatch(db, batch);
}
