import { type ClaimedAttempt, claimPoll } from '@holdfast/db/attempts/claim';
import type { Handle, Submission } from '@holdfast/providers/interface';
import type { Context } from '../context.ts';
import { inSpan } from '../inSpan.ts';
import { leaseS } from '../lease.ts';
import { leave } from '../leave.ts';
import { readyInput } from '../readyInput.ts';
import { tryAgain } from '../refuse.ts';
import { findRoute, type Route } from '../route.ts';
import { act } from '../run.ts';
import { stop } from '../stop.ts';
import { toSubmission } from '../submission.ts';

/** Asks the provider about a run that is due; also the way out for callbacks that never come. */
export async function poll(context: Context, attemptId: string): Promise<void> {
  const run = await claimPoll(context.db, attemptId, leaseS);
  if (!run) return;
  await inSpan(context, { name: 'poll', kind: 'consumer' }, run, (its) => ask(its, run));
}

async function ask(context: Context, run: ClaimedAttempt): Promise<void> {
  if (run.ended) return await stop(context, run);
  const { handle } = run;
  if (!handle) return;
  const route = await findRoute(context, run);
  if (!route) return;
  await context.inHand.hold(run.attemptId, async (signal) => {
    const progress = await route.provider.poll(await questionOf(context, route, run, handle), handle, signal);
    if (signal.aborted) return;
    if (progress.state !== 'refused') return await act(context, route, run, progress, signal);
    // A run that was accepted is not refused any more: unless its provider has lost it, it is asked about again.
    if (!progress.isLost) return;
    if (progress.retryAfterMs !== null) return await act(context, route, run, progress, signal);
    // Only another provider could take it; without one, the first may come back.
    if (await tryAgain(context, route, run, progress)) await leave(context, run.id, run);
  });
}

async function questionOf(
  context: Context,
  route: Route,
  run: ClaimedAttempt,
  handle: Handle,
): Promise<Submission> {
  if (!route.provider.pollsWithInput?.(handle)) return toSubmission(context, route, run);
  const prepared = await readyInput(context, route, run, 'recover');
  return 'state' in prepared
    ? toSubmission(context, route, run)
    : toSubmission(context, route, run, prepared);
}
