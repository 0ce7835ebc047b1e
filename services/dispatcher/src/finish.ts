import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { RecordedOutcome, Success } from '@holdfast/domain/outcome';
import { actualCost } from '@holdfast/domain/pricing';
import { DownloadError } from '@holdfast/egress/download';
import type { Progress } from '@holdfast/providers/interface';
import type { OutputBody } from '@holdfast/providers/outputBody';
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
  progress: Exclude<Progress, { state: 'running' }>,
  state: 'succeeded' | 'failed' | 'unknown',
  signal: AbortSignal,
): Promise<void> {
  const { outcome } = progress;
  if (!outcome.ok) {
    const { code, message, raw } = outcome;
    await context.recorder.recordOutcome(run.attemptId, { ok: false, code, message }, state, raw);
    return;
  }
  let why: unknown;
  const onFailure = (error: unknown) => (why = error);
  const bounds = { ...usualBounds, onFailure };
  const made = { outcome, bodies: bodiesOf(progress) };
  const copied = await inSpan(context, { name: 'keep outputs', kind: 'client' }, run, (its) =>
    copyOutput(its, route, run, made, signal, bounds),
  );
  // Null when the signal came while it was copied.
  if (signal.aborted && copied === null) return;
  const recorded = copied ? priced(route.definition, copied.success) : notStored;
  const isTaken = await context.recorder.recordOutcome(
    run.attemptId,
    recorded,
    recorded.ok ? 'succeeded' : 'failed',
    copied ? undefined : `The output was not copied: ${reasonFor(why, route)}`,
  );
  // Its execution was cancelled, or somebody else was faster: these files are nobody's result.
  if (!isTaken && copied) await dropCopies(context, run, copied.files);
}

/** Files of the output that came in the answer itself. */
export function bodiesOf(progress: Progress): readonly OutputBody[] {
  return (progress.state === 'ended' && progress.bodies) || [];
}

const notStored: RecordedOutcome = {
  ok: false,
  code: 'GENERATION_FAILED',
  message: 'The output could not be stored.',
};

/** For the operator: a provider may well keep its files in a network of its own. */
function reasonFor(why: unknown, { definition, route }: Pick<Route, 'definition' | 'route'>): string {
  const reason = why instanceof Error ? why.message : String(why);
  const isRefused = why instanceof DownloadError && why.stage === 'policy';
  if (!isRefused || definition.output.kind === 'raw') return reason;
  return `${reason}. If it is the provider's own store, name it in ${route.connection.toUpperCase()}_OUTPUT_ORIGINS`;
}

function priced(definition: ModelDefinition, success: Success): RecordedOutcome {
  const { output, usage } = success;
  return { ok: true, output, ...usage, cost: actualCost(definition, success) };
}
