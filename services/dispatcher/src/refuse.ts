import { triesOf } from '@holdfast/db/attempts/tries';
import { persistently } from '@holdfast/db/persistently';
import type { Progress } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import { nextTry } from './nextTry.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** A refusal that is not written down is one that nobody knows of: the run would have to be given up. */
const readForMs = 60_000;

/** A provider did not accept the run: it waits for its next try. False when there is none. */
export async function tryAgain(
  context: Context,
  { definition }: Route,
  run: Run,
  { retryAfterMs, outcome }: Extract<Progress, { state: 'refused' }>,
): Promise<boolean> {
  const next = nextTry({
    definition,
    isOpen: await persistently(context.log, readForMs, () => context.openTo(run.organizationId)),
    at: run,
    retryAfterMs,
    tried: await persistently(context.log, readForMs, () => triesOf(context.db, run.id)),
    remainingMs: run.remainingMs,
  });
  if (next === null) return false;
  const { code, message, raw = null } = outcome;
  context.log.warn(
    { executionId: run.id, attemptId: run.attemptId, model: run.model, code, from: run.connection, next },
    'a provider did not accept a run',
  );
  const to = next.connection === run.connection && next.target === run.target ? 'same' : 'next';
  context.metrics.retries.inc({ connection: run.connection, to });
  const { attemptId } = run;
  await context.refusals.record({ attemptId, outcome: { ok: false, code, message }, rawError: raw, next });
  return true;
}
