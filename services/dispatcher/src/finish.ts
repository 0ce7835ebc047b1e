import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Outcome, RecordedOutcome, Success } from '@holdfast/domain/outcome';
import { actualCost } from '@holdfast/domain/pricing';
import type { Context } from './context.ts';
import { copyOutput, dropCopies, usualBounds } from './copyOutput.ts';
import { inSpan } from './inSpan.ts';
import type { Route } from './route.ts';
import type { Run } from './submission.ts';

/** Copies the output's files into our store, prices the run and records its outcome for the ledger. */
export async function finish(
  context: Context,
  route: Route,
  run: Run,
  outcome: Outcome,
  state: 'succeeded' | 'failed' | 'unknown',
  signal: AbortSignal,
): Promise<void> {
  if (!outcome.ok) {
    const { code, message, raw } = outcome;
    await context.outcomes.record(run.attemptId, { ok: false, code, message }, state, raw);
    return;
  }
  let why: unknown;
  const onFailure = (error: unknown) => (why = error);
  const bounds = { ...usualBounds, onFailure };
  const copied = await inSpan(context, { name: 'keep outputs', kind: 'client' }, run, (its) =>
    copyOutput(its, route, run, outcome, signal, bounds),
  );
  // Null when the signal came while it was copied.
  if (signal.aborted && copied === null) return;
  const recorded = copied ? priced(route.definition, copied.success) : notStored;
  const isTaken = await context.outcomes.record(
    run.attemptId,
    recorded,
    recorded.ok ? 'succeeded' : 'failed',
    copied ? undefined : `The output was not copied: ${why instanceof Error ? why.message : String(why)}`,
  );
  // Its execution was cancelled, or somebody else was faster: these files are nobody's result.
  if (!isTaken && copied) await dropCopies(context, run, copied.files);
}

const notStored: RecordedOutcome = {
  ok: false,
  code: 'GENERATION_FAILED',
  message: 'The output could not be stored.',
};

function priced(definition: ModelDefinition, success: Success): RecordedOutcome {
  const { output, usage } = success;
  return { ok: true, output, ...usage, cost: actualCost(definition, success) };
}
