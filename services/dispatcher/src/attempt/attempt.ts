import { type ClaimedAttempt, claimWaiting, markStopped } from '@holdfast/db/attempts/lease';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { AttemptRecorder } from '@holdfast/executions/attemptRecorder';
import type { Starter } from '@holdfast/executions/lifecycle';
import type { Progress } from '@holdfast/providers/interface';
import type { PendingExecution } from '../schedule/backlog.ts';
import type { Slots } from '../schedule/slots.ts';
import { bodiesOf, finishRun } from './finishedRun.ts';
import { prepareInput } from './input.ts';
import { type Leases, leaseS } from './leases.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { Files } from './outputFile.ts';
import { recordProgress, recordRunning } from './progress.ts';
import { recordBusyRefusal, recordRefusal } from './refusal.ts';
import type { Route, Routes } from './route.ts';
import type { Streams } from './streams.ts';
import { type Attempt, cancelTimeoutMs, cancelUnconfirmed, type FirstCall, submit } from './submission.ts';
import { inSpan, type Trace } from './trace.ts';

export type AttemptServices = {
  files: Files;
  routes: Routes;
  leases: Leases;
  slots: Slots;
  recorder: AttemptRecorder;
  streams: Streams;
  metrics: Pick<DispatcherMetrics, 'runs' | 'retries' | 'busyRefusals' | 'missingUsage'>;
};

/** PENDING -> PROCESSING, or a retry. Returns false if another dispatcher has started it, or the execution has ended. */
export async function startAttempt(
  services: AttemptServices,
  starter: Pick<Starter, 'start'>,
  trace: Trace,
  { executionId, retry }: PendingExecution,
  route: ProviderRoute | null,
  modelVersion: string | null,
): Promise<boolean> {
  const startedAtMs = Date.now();
  const at = { connection: route?.connection ?? 'none', target: route?.model ?? '' };
  const claimed = retry
    ? await claimWaiting(services.files.db, retry.attemptId, { ...at, modelVersion }, leaseS)
    : await starter.start(executionId, { ...at, modelVersion });
  if (claimed === null) return false;
  if ('ended' in claimed && claimed.ended) {
    await stopAttempt(services, trace, claimed);
    return false;
  }
  const attempt = { number: 1, logged: 0, busyRefusals: 0, claims: 0, ...claimed, executionId };
  const span = { name: retry ? 'retry' : 'run', kind: 'consumer', startedAtMs } as const;
  await inSpan(trace, span, attempt, async (spanned) => {
    const { attemptId, model, organizationId } = attempt;
    spanned.log.info({ executionId, attemptId, organizationId, model, ...at }, 'run started');
    await runAttempt(services, spanned, attempt, 'submit');
  });
  return true;
}

/** Works on an attempt until it has ended, runs at its provider, waits for a retry, or loses its lease. */
export async function runAttempt(
  services: AttemptServices,
  trace: Trace,
  attempt: Attempt,
  firstCall: FirstCall,
): Promise<void> {
  const route = await services.routes.find(attempt, trace);
  if (route === null) return await failWithoutRoute(services, trace, attempt);
  await services.leases.hold(attempt.attemptId, async (signal) => {
    const isLostStream = attempt.isStreamed && firstCall === 'recover';
    const progress = isLostStream
      ? await takeStreamOver(services, trace, route, attempt)
      : await callFirst(services, trace, route, attempt, firstCall, signal);
    if (progress !== null) await apply(services, trace, route, attempt, progress, signal);
  });
}

/** Null: nothing is to be recorded. */
async function callFirst(
  { files, slots, streams }: AttemptServices,
  trace: Trace,
  route: Route,
  attempt: Attempt,
  firstCall: FirstCall,
  signal: AbortSignal,
): Promise<Progress | null> {
  const prepare = () => prepareInput(files, trace.log, route, attempt, firstCall);
  if (!attempt.isStreamed) {
    const input = await prepare();
    return 'state' in input ? input : await submit(slots, route, attempt, input, firstCall, signal);
  }
  // At once, because its deadline counts from the claim.
  const stream = await streams.open(trace, route, attempt);
  if (stream === null) return null;
  let progress: Progress | null = null;
  try {
    const input = await prepare();
    progress =
      'state' in input ? input : await submit(slots, route, attempt, input, firstCall, signal, stream);
  } finally {
    progress = await stream.finish(progress);
  }
  return progress;
}

/** The run of a dispatcher that died, which cannot be joined. */
async function takeStreamOver(
  { streams }: AttemptServices,
  trace: Trace,
  route: Route,
  attempt: Attempt,
): Promise<Progress | null> {
  void cancelUnconfirmed(route, attempt).catch(() => {});
  return await streams.takeOver(trace, route, attempt);
}

/** As `apply`, for what a provider has returned later: a stream then lacks the rest of its output. */
export async function applyProgress(
  services: AttemptServices,
  trace: Trace,
  route: Route,
  attempt: Attempt,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const isStream = attempt.isStreamed && progress.state === 'ended';
  const shown = isStream ? await services.streams.complete(trace, route, attempt, progress) : progress;
  if (shown !== null) await apply(services, trace, route, attempt, shown, signal);
}

/** Records what a provider returned for an attempt, and releases the attempt's slots when it no longer needs them. */
async function apply(
  services: AttemptServices,
  trace: Trace,
  route: Route,
  attempt: Attempt,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  if ('alert' in progress && progress.alert) {
    const { executionId, attemptId, connection } = attempt;
    const line = { executionId, attemptId, connection, alert: progress.alert };
    trace.log.error(line, 'a provider connection needs the operator');
  }
  trace.span?.set({ 'holdfast.state': progress.state });
  try {
    const freesSlots = await record(services, trace, route, attempt, progress, signal);
    if (freesSlots) await services.slots.release(attempt);
  } finally {
    for (const body of bodiesOf(progress)) body.close();
  }
}

/** Returns whether the attempt no longer needs its slots. */
async function record(
  services: AttemptServices,
  trace: Trace,
  route: Route,
  attempt: Attempt,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const { recorder, metrics } = services;
  const { log } = trace;
  await recordProgress(recorder, route, attempt, progress);
  if (progress.state === 'running') {
    await recordRunning(recorder, log, route, attempt, progress);
    return false;
  }
  if (!progress.outcome.ok) trace.span?.fail(progress.outcome.code);
  if (progress.state === 'refused') {
    if (progress.isBusy) return await recordBusyRefusal(services, log, route, attempt, progress);
    if (await recordRefusal(services, log, route, attempt, progress)) return true;
  }
  const { executionId, attemptId, connection, model } = attempt;
  if (progress.state === 'unknown')
    log.error({ executionId, attemptId, connection }, 'the outcome of a submit is unknown');
  const state = progress.state === 'unknown' ? 'unknown' : progress.outcome.ok ? 'succeeded' : 'failed';
  metrics.runs.inc({ connection, state });
  log.info({ executionId, attemptId, model, connection, state }, 'run ended');
  await finishRun(services, trace, route, attempt, progress, signal);
  return true;
}

async function failWithoutRoute(
  { recorder, slots }: AttemptServices,
  { log, span }: Trace,
  attempt: Attempt,
): Promise<void> {
  const { executionId, attemptId, model } = attempt;
  log.error({ executionId, attemptId, model }, 'no connection is configured for the model');
  span?.fail('MODEL_UNAVAILABLE');
  const message = 'The model is not available at the moment.';
  await recorder.recordOutcome(attemptId, { ok: false, code: 'MODEL_UNAVAILABLE', message }, 'failed');
  await slots.release(attempt);
}

/** Cancels the run of an execution that has ended. Later callbacks of the provider are ignored. */
export async function stopAttempt(
  { files, routes, slots, leases }: Pick<AttemptServices, 'files' | 'routes' | 'slots' | 'leases'>,
  trace: Trace,
  attempt: ClaimedAttempt,
): Promise<void> {
  await inSpan(trace, { name: 'stop', kind: 'consumer' }, attempt, async (spanned) => {
    leases.end(attempt.attemptId);
    // A waiting attempt was not sent to a provider.
    const route = attempt.state === 'waiting' ? null : await routes.find(attempt, spanned);
    if (route && attempt.handle)
      await route.provider.cancel(attempt.handle, AbortSignal.timeout(cancelTimeoutMs));
    else if (route) await cancelUnconfirmed(route, attempt);
    await markStopped(files.db, [attempt.attemptId]);
    await slots.release(attempt);
  });
}
