import { claimPoll } from '@holdfast/db/attempts/claim';
import type { Context } from '../context.ts';
import { leaseS } from '../lease.ts';
import { findRoute } from '../route.ts';
import { act } from '../run.ts';
import { stop } from '../stop.ts';
import { toSubmission } from '../submission.ts';

/** Asks the provider about a run that is due; also the way out for callbacks that never come. */
export async function poll(context: Context, attemptId: string): Promise<void> {
  const run = await claimPoll(context.db, attemptId, leaseS);
  if (!run?.handle) return;
  if (run.ended) return await stop(context, run);
  const { handle } = run;
  const route = await findRoute(context, run);
  if (!route) return;
  const { provider } = route;
  await context.inHand.hold(attemptId, async (signal) => {
    const submission = toSubmission(context, route, run);
    const progress = await provider.poll(submission, handle, signal);
    if (!signal.aborted) await act(context, route, run, progress, signal);
  });
}
