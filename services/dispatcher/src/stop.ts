import type { ClaimedAttempt } from '@holdfast/db/attempts/claim';
import { markStopped } from '@holdfast/db/attempts/lease';
import type { Context } from './context.ts';
import { leave } from './leave.ts';
import { findRoute } from './route.ts';
import { toSubmission } from './submission.ts';

export const cancelTimeoutMs = 10_000;

/** The execution has ended without this run: the provider is told to stop, and what it still sends is dropped. */
export async function stop(context: Context, run: ClaimedAttempt): Promise<void> {
  if (run.state !== 'waiting') await tellToStop(context, run);
  await markStopped(context.db, [run.attemptId]);
  await leave(context, run.id, run);
}

async function tellToStop(context: Context, run: ClaimedAttempt): Promise<void> {
  const route = await findRoute(context, run);
  if (!route) return;
  const handle = run.handle ?? route.provider.handleFor(toSubmission(context, route, run));
  if (handle) await route.provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}
