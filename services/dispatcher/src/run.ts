import { claimWaiting } from '@holdfast/db/attempts/claim';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Outcome } from '@holdfast/domain/outcome';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import type { Waiting } from './backlog.ts';
import type { Context } from './context.ts';
import { converse, type Opening } from './converse.ts';
import { bodiesOf, finish } from './finish.ts';
import { inSpan } from './inSpan.ts';
import { leaseS } from './lease.ts';
import { leave } from './leave.ts';
import { readyInput } from './readyInput.ts';
import { awaitCapacity, tryAgain } from './refuse.ts';
import { findRoute, type Route } from './route.ts';
import { cancelTimeoutMs, cancelUnanswered, stop } from './stop.ts';
import { type Run, toSubmission } from './submission.ts';
import { tell } from './tell.ts';

/**
 * A run whose turn has come: PENDING -> PROCESSING, or its next try, then the provider. False for one that another
 * dispatcher has, or that has ended. Resolves when it is no longer in hand.
 */
export async function begin(
  context: Context,
  waiting: Waiting,
  route: ProviderRoute | null,
): Promise<boolean> {
  const { executionId, again } = waiting;
  const begunAtMs = Date.now();
  const at = { connection: route?.connection ?? 'none', target: route?.model ?? '' };
  const run = again
    ? await claimWaiting(context.db, again.attemptId, at, leaseS)
    : await context.starter.start(executionId, at);
  if (run === null) return false;
  if ('ended' in run && run.ended) {
    await stop(context, run);
    return false;
  }
  const { attemptId, model, organizationId } = run;
  await inSpan(context, { name: again ? 'retry' : 'run', kind: 'consumer', begunAtMs }, run, async (its) => {
    its.log.info({ executionId, attemptId, organizationId, model, ...at }, 'run started');
    await work(its, { logged: 0, busyRefusals: 0, ...run }, 'submit');
  });
  return true;
}

/** Works on one attempt until it has ended, is running at the provider, or is let go of. */
export async function work(context: Context, run: Run, opening: Opening): Promise<void> {
  const route = await findRoute(context, run);
  if (!route) return await recordUnavailable(context, run);
  const { provider } = route;
  await context.inHand.hold(run.attemptId, async (signal) => {
    const prepared = await readyInput(context, route, run, opening);
    if ('state' in prepared) return await act(context, route, run, prepared, signal);
    const submission = toSubmission(context, route, run, prepared);
    const progress = await converse(provider, submission, opening, signal);
    if (signal.aborted) return await abandon(provider, submission, signal);
    const time = { givenMs: run.remainingMs, usualMs: route.definition.timeout_s * 1000 };
    context.breakers.called(run.connection, progress, time);
    context.capacity.called(run, progress);
    await act(context, route, run, progress, signal);
  });
}

/** Acts on what a provider said of a run. */
export async function act(
  context: Context,
  route: Route,
  run: Run,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  const about = { executionId: run.id, attemptId: run.attemptId, connection: run.connection };
  if ('alert' in progress && progress.alert) {
    log.error({ ...about, alert: progress.alert }, 'a provider connection needs the operator');
  }
  context.span?.set({ 'holdfast.state': progress.state });
  if (progress.state === 'running') {
    await tell(context, route, run, progress, false);
    return await goOn(context, route, run, progress);
  }
  if (!progress.outcome.ok) context.span?.fail(progress.outcome.code);
  if (progress.state === 'refused' && progress.isBusy)
    return await awaitCapacity(context, route, run, progress);
  if (progress.state === 'refused' && (await tryAgain(context, route, run, progress))) {
    return await leave(context, run.id, run);
  }
  if (progress.state === 'unknown')
    log.error(about, 'the outcome of a submit is unknown and can not be learned');
  try {
    if (progress.state === 'ended') await tell(context, route, run, progress, true);
    await end(context, route, run, progress, signal);
  } finally {
    for (const body of bodiesOf(progress)) body.close();
  }
}

async function goOn(
  context: Context,
  { provider }: Route,
  run: Run,
  { handle, by, pollAfterMs, isSteady }: Extract<Progress, { state: 'running' }>,
): Promise<void> {
  const { attemptId } = run;
  const awaitsCallback = by === 'callback';
  const line = { executionId: run.id, attemptId, model: run.model, by };
  // What was accepted before is only asked about.
  if (run.handle) context.log.debug(line, 'run polled');
  else context.log.info(line, 'run accepted by its provider');
  const steady = isSteady && { isSteady };
  if (await context.recorder.recordRunning({ attemptId, handle, awaitsCallback, pollAfterMs, ...steady }))
    return;
  // Cancelled while it was submitted: who told the provider to stop may have come too early.
  await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}

async function end(
  context: Context,
  route: Route,
  run: Run,
  progress: Exclude<Progress, { state: 'running' }>,
  signal: AbortSignal,
): Promise<void> {
  const { connection } = run;
  const state = progress.state === 'unknown' ? 'unknown' : stateOf(progress.outcome);
  context.metrics.runs.inc({ connection, state });
  context.log.info(
    { executionId: run.id, attemptId: run.attemptId, model: run.model, connection, state },
    'run ended',
  );
  await finish(context, route, run, progress, state, signal);
  await leave(context, run.id, run);
}

function stateOf(outcome: Outcome): 'succeeded' | 'failed' {
  return outcome.ok ? 'succeeded' : 'failed';
}

/** Ended elsewhere: the provider is told to stop. Shutting down: the next dispatcher takes the run over. */
async function abandon(provider: Provider, submission: Submission, signal: AbortSignal): Promise<void> {
  if (signal.reason === 'ended elsewhere') await cancelUnanswered(provider, submission);
}

async function recordUnavailable(context: Context, run: Run): Promise<void> {
  const { id: executionId, attemptId, model } = run;
  context.log.error({ executionId, attemptId, model }, 'no connection is configured for the model');
  context.span?.fail('MODEL_UNAVAILABLE');
  const message = 'The model is not available at the moment.';
  await context.recorder.recordOutcome(
    run.attemptId,
    { ok: false, code: 'MODEL_UNAVAILABLE', message },
    'failed',
  );
  await leave(context, run.id, run);
}
