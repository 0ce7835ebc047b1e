import type { ClaimedAttempt } from '@holdfast/db/attempts/claim';
import { markStopped } from '@holdfast/db/attempts/lease';
import type { Provider, Submission } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import { inSpan } from './inSpan.ts';
import { leave } from './leave.ts';
import { findRoute } from './route.ts';
import { toSubmission } from './submission.ts';

export const cancelTimeoutMs = 10_000;
/** A run whose submit had no answer has to be looked for first. */
const findTimeoutMs = 60_000;

/** The execution has ended without this run: the provider is told to stop, and what it still sends is dropped. */
export async function stop(context: Context, run: ClaimedAttempt): Promise<void> {
  await inSpan(context, { name: 'stop', kind: 'consumer' }, run, async (its) => {
    if (run.state !== 'waiting') await tellToStop(its, run);
    await markStopped(its.db, [run.attemptId]);
    await leave(its, run.id, run);
  });
}

async function tellToStop(context: Context, run: ClaimedAttempt): Promise<void> {
  const route = await findRoute(context, run);
  if (!route) return;
  if (run.handle) await route.provider.cancel(run.handle, AbortSignal.timeout(cancelTimeoutMs));
  else await cancelUnanswered(route.provider, toSubmission(context, route, run));
}

/** Tells a provider to stop a run of which it has not said that it took it on. */
export async function cancelUnanswered(provider: Provider, submission: Submission): Promise<void> {
  const handle =
    provider.handleFor(submission) ??
    (await provider.find?.(submission, AbortSignal.timeout(findTimeoutMs))) ??
    null;
  if (handle) await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}
