import type { Outcome } from '@holdfast/domain/outcome';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import { converse, type Opening } from './converse.ts';
import { finish } from './finish.ts';
import { findRoute, type Route } from './route.ts';
import { cancelTimeoutMs } from './stop.ts';
import { type Run, toSubmission } from './submission.ts';

/** Works on one attempt until it has ended, is running at the provider, or is let go of. */
export async function work(context: Context, run: Run, opening: Opening): Promise<void> {
  const route = await findRoute(context, run.model);
  if (!route) return await recordUnavailable(context, run);
  const { provider } = route;
  await context.inHand.hold(run.attemptId, async (signal) => {
    const submission = await toSubmission(context, route, run);
    const progress = await converse(provider, submission, opening, signal);
    if (signal.aborted) return await abandon(provider, submission, signal);
    await act(context, route, run, progress, signal);
  });
}

/** Acts on what a provider said of a run. */
export async function act(
  context: Context,
  { definition, route, provider }: Route,
  run: Run,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { log, metrics } = context;
  const about = { executionId: run.id, attemptId: run.attemptId };
  if (progress.state === 'running') {
    const { handle, by, pollAfterMs } = progress;
    const awaitsCallback = by === 'callback';
    const { attemptId } = run;
    log.info({ ...about, model: run.model, by }, 'run is under way at its provider');
    if (await context.awaiter.accepted({ attemptId, handle, awaitsCallback, pollAfterMs })) return;
    // Cancelled while it was submitted: who told the provider to stop may have come too early.
    return await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
  }
  if (progress.state === 'ended' && progress.alert) {
    log.error({ ...about, alert: progress.alert }, 'a provider connection needs the operator');
  }
  if (progress.state === 'unknown')
    log.error(about, 'the outcome of a submit is unknown and can not be learned');
  const state = progress.state === 'unknown' ? 'unknown' : stateOf(progress.outcome);
  const { connection } = route;
  metrics.runs.inc({ connection, state });
  log.info({ ...about, model: run.model, connection, state }, 'run ended');
  await finish(context, definition, run, progress.outcome, state, signal);
}

function stateOf(outcome: Outcome): 'succeeded' | 'failed' {
  return outcome.ok ? 'succeeded' : 'failed';
}

/** Ended elsewhere: the provider is told to stop. Shutting down: the next dispatcher takes the run over. */
async function abandon(provider: Provider, submission: Submission, signal: AbortSignal): Promise<void> {
  if (signal.reason !== 'ended elsewhere') return;
  const handle = provider.handleFor(submission);
  if (handle) await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}

async function recordUnavailable(context: Context, run: Run): Promise<void> {
  context.log.error({ executionId: run.id, model: run.model }, 'no connection is configured for the model');
  const message = 'The model is not available at the moment.';
  await context.outcomes.record(run.attemptId, { ok: false, code: 'MODEL_UNAVAILABLE', message }, 'failed');
}
