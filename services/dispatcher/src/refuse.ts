import { countTries, refusedAt } from '@holdfast/db/attempts/claim';
import { retryTransient } from '@holdfast/db/faults';
import type { Progress } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import { leave } from './leave.ts';
import { busyTry, nextTry } from './nextTry.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** A refusal that is not written down is one that nobody knows of: the run would have to be given up. */
const readForMs = 60_000;

/** A provider did not accept the run, or has lost it: it waits for its next try. False when there is none. */
export async function tryAgain(
  context: Context,
  { definition }: Route,
  run: Run,
  { retryAfterMs, outcome, isLost }: Extract<Progress, { state: 'refused' }>,
): Promise<boolean> {
  const next = nextTry({
    definition,
    isOpen: await retryTransient(context.log, readForMs, () => context.openTo(run.organizationId)),
    at: run,
    retryAfterMs,
    tried: await retryTransient(context.log, readForMs, () => countTries(context.db, run.id)),
    remainingMs: run.remainingMs,
  });
  if (next === null) return false;
  const { code, message, raw = null } = outcome;
  context.log.warn(
    { executionId: run.id, attemptId: run.attemptId, model: run.model, code, from: run.connection, next },
    isLost ? 'a provider has lost a run' : 'a provider did not accept a run',
  );
  const to = next.connection === run.connection && next.target === run.target ? 'same' : 'next';
  context.metrics.retries.inc({ connection: run.connection, to });
  const { attemptId } = run;
  const refusal = { ok: false, code, message } as const;
  await context.recorder.recordRefusal({
    attemptId,
    outcome: refusal,
    rawError: raw,
    next,
    isLost: isLost ?? false,
  });
  return true;
}

/**
 * A provider had no capacity for the run: the same attempt waits, until its execution expires, and holds nothing meanwhile.
 * What may have been accepted before is only asked about again.
 */
export async function awaitCapacity(
  context: Context,
  { definition }: Route,
  run: Run,
  refusal: Extract<Progress, { state: 'refused' }>,
): Promise<void> {
  const { attemptId, connection, target, busyRefusals } = run;
  const { outcome, retryAfterMs, mayHaveRun = false } = refusal;
  const pauseMs = await context.capacity.refused({ ...run, mayHaveRun }, retryAfterMs ?? 0);
  const next = mayHaveRun
    ? { connection, target, afterMs: pauseMs }
    : busyTry({
        definition,
        isOpen: await retryTransient(context.log, readForMs, () => context.openTo(run.organizationId)),
        at: { connection, target },
        refusedAt: await retryTransient(context.log, readForMs, () => refusedAt(context.db, run.id)),
        busyRefusals,
        pauseMs,
      });
  context.metrics.busyRefusals.inc({ connection });
  context.log.info(
    { executionId: run.id, attemptId, model: run.model, code: outcome.code, connection, next },
    'run put off by a busy provider',
  );
  await context.recorder.recordBusyRefusal({ attemptId, rawError: outcome.raw ?? null, next, mayHaveRun });
  if (!mayHaveRun) await leave(context, run.id, run);
}
