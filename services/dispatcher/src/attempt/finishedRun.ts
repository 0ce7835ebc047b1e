import type { EndedAttempt } from '@holdfast/db/attempts/outcomes';
import { type Charge, chargeFor, providerCostOf } from '@holdfast/domain/charge';
import { batchRank } from '@holdfast/domain/execution';
import type { Money } from '@holdfast/domain/money';
import type { RecordedOutcome, Success } from '@holdfast/domain/outcome';
import { DownloadError } from '@holdfast/egress/download';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import type { Logger } from '@holdfast/kit/logger';
import { reasonOf } from '@holdfast/kit/within';
import type { Progress } from '@holdfast/providers/interface';
import type { OutputBody } from '@holdfast/providers/outputBody';
import { WrongOutputType } from '@holdfast/providers/outputFiles';
import { pricedInput } from './input.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { Files } from './outputFile.ts';
import { copyOutput, defaultBounds } from './outputs.ts';
import type { Route } from './route.ts';
import type { Attempt } from './submission.ts';
import { inSpan, type Trace } from './trace.ts';

type Services = {
  files: Files;
  recorder: Pick<AttemptRecorder, 'recordOutcome'>;
  metrics: Pick<DispatcherMetrics, 'missingUsage'>;
};

/** Records the outcome, unless the signal aborts. When the execution was cancelled, or has one already, the copies are dropped. */
export async function finishRun(
  { files, recorder, metrics }: Services,
  trace: Trace,
  route: Pick<Route, 'definition' | 'route' | 'connection'>,
  attempt: Attempt,
  progress: Exclude<Progress, { state: 'running' }>,
  signal: AbortSignal,
): Promise<void> {
  const finished = await finishedRun(files, trace, route, attempt, progress, signal);
  if (finished === null) return;
  const { outcome, state, missing = [], drop, ...forOperators } = finished;
  const isRecorded = await recorder.recordOutcome(attempt.attemptId, outcome, state, forOperators);
  if (!isRecorded) await drop?.();
  warnOfMissingUsage(metrics, trace.log, attempt, missing);
}

/**
 * A success has its output files in our store, and its cost. `missing`: priced quantities that it neither reported nor showed.
 * Null when the signal aborts.
 */
async function finishedRun(
  files: Files,
  trace: Trace,
  route: Pick<Route, 'definition' | 'route' | 'connection'>,
  attempt: Attempt,
  progress: Exclude<Progress, { state: 'running' }>,
  signal: AbortSignal,
): Promise<(Omit<EndedAttempt, 'attemptId'> & { missing?: string[]; drop?(): Promise<void> }) | null> {
  const { outcome } = progress;
  if (!outcome.ok) {
    const { code, message, raw, run } = outcome;
    const state = progress.state === 'unknown' ? 'unknown' : 'failed';
    const providerCost = run ? await lostCost(files, trace, route, attempt, run) : null;
    return { outcome: { ok: false, code, message }, state, rawError: raw ?? null, providerCost };
  }
  let failure: unknown;
  const bounds = { ...defaultBounds, onFailure: (error: unknown) => (failure = error) };
  const produced = { outcome, bodies: bodiesOf(progress) };
  const copied = await inSpan(trace, { name: 'keep outputs', kind: 'client' }, attempt, ({ log }) =>
    copyOutput(files, log, route, attempt, produced, signal, bounds),
  );
  if (copied) {
    const { success, drop } = copied;
    const priced = await pricedInput(files, trace.log, route, attempt);
    const charge = chargeFor(route.definition, priced, success, attempt.priority === batchRank);
    const recorded = toRecorded(success, charge);
    const providerCost = providerCostOf(route, priced, success);
    return { outcome: recorded, state: 'succeeded', missing: charge.missing, providerCost, drop };
  }
  if (signal.aborted) return null;
  const rawError = `The output was not copied: ${reasonFor(failure, route)}`;
  const providerCost = await lostCost(files, trace, route, attempt, outcome);
  return { outcome: notStored(failure), state: 'failed', rawError, providerCost };
}

/** What a provider takes for a run that clients do not pay for. */
async function lostCost(
  files: Files,
  trace: Trace,
  route: Pick<Route, 'definition' | 'route'>,
  attempt: Attempt,
  run: Success,
): Promise<Money | null> {
  return providerCostOf(route, await pricedInput(files, trace.log, route, attempt), run);
}

/** They must be closed. */
export function bodiesOf(progress: Progress): readonly OutputBody[] {
  return (progress.state === 'ended' && progress.bodies) || [];
}

/** Which type was refused is no secret of the provider. */
function notStored(failure: unknown): RecordedOutcome {
  const reason = failure instanceof WrongOutputType ? `: ${failure.message}` : '';
  return { ok: false, code: 'GENERATION_FAILED', message: `The output could not be stored${reason}.` };
}

/** For the operator: a provider may keep its files in a network of its own. */
function reasonFor(failure: unknown, { definition, route }: Pick<Route, 'definition' | 'route'>): string {
  const reason = reasonOf(failure);
  const isRefused = failure instanceof DownloadError && failure.stage === 'policy';
  if (!isRefused || definition.output.kind === 'raw') return reason;
  return `${reason}. If it is the provider's own store, name it in ${route.connection.toUpperCase()}_OUTPUT_ORIGINS`;
}

function toRecorded(
  { output, finishReason, isUsageEstimated }: Success,
  { usage, cost, billed: priced }: Charge,
): RecordedOutcome {
  const billed = { ...priced, ...(isUsageEstimated && { usage_estimated: true as const }) };
  const isBilled = Object.keys(billed).length > 0;
  return {
    ok: true,
    output,
    ...usage,
    cost,
    ...(isBilled && { billed }),
    ...(finishReason !== undefined && { finishReason: finishReason.slice(0, 64) }),
  };
}

function warnOfMissingUsage(
  { missingUsage }: Services['metrics'],
  log: Logger,
  { executionId, attemptId, connection, model }: Attempt,
  missing: readonly string[],
): void {
  if (missing.length === 0) return;
  for (const quantity of missing) missingUsage.inc({ connection, model, quantity });
  log.warn(
    { executionId, attemptId, connection, model, missing },
    'priced usage was neither reported nor measured',
  );
}
