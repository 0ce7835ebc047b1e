import { claimAbandoned } from '@holdfast/db/attempts/claim';
import { pendingCallbacks } from '@holdfast/db/callbacks';
import type { Context } from '../context.ts';
import { inSpan } from '../inSpan.ts';
import { leaseS } from '../lease.ts';
import { work } from '../run.ts';
import { stop } from '../stop.ts';
import { callback } from './callback.ts';

/** Takes over a run whose dispatcher is gone: the provider is asked what became of it. */
export async function recover(context: Context, attemptId: string): Promise<void> {
  // Its lease ran out while the database was away: it is not abandoned.
  if (context.inHand.has(attemptId)) return;
  // What it has called back meanwhile may be its end: then there is nothing to ask.
  for (const id of await pendingCallbacks(context.db, attemptId)) await callback(context, id);
  const run = await claimAbandoned(context.db, attemptId, leaseS);
  if (!run) return;
  await inSpan(context, { name: 'take over', kind: 'consumer' }, run, async (its) => {
    // One that a busy provider may have accepted was left on purpose.
    if (run.busyRefusals === 0)
      its.log.warn({ executionId: run.id, attemptId }, 'taking over an abandoned run');
    if (run.ended) await stop(its, run);
    else await work(its, run, 'recover');
  });
}
