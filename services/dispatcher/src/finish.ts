import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Outcome, RecordedOutcome, Success } from '@holdfast/domain/outcome';
import { actualCost } from '@holdfast/domain/pricing';
import type { Context } from './context.ts';
import { copyOutput } from './copyOutput.ts';
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
    return await context.outcomes.record(run.attemptId, { ok: false, code, message }, state, raw);
  }
  const copied = await copyOutput(context, route, run, outcome, signal);
  if (signal.aborted) return;
  const recorded = copied ? priced(route.definition, copied) : notStored;
  await context.outcomes.record(run.attemptId, recorded, recorded.ok ? 'succeeded' : 'failed');
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
