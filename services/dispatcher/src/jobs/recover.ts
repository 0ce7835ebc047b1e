import { claimAbandoned } from '@holdfast/db/attempts/claim';
import type { Context } from '../context.ts';
import { inSpan } from '../inSpan.ts';
import { leaseS } from '../lease.ts';
import { work } from '../run.ts';
import { stop } from '../stop.ts';

/** Takes over a run whose dispatcher is gone: the provider is asked what became of it. */
export async function recover(context: Context, attemptId: string): Promise<void> {
  // Its lease ran out while the database was away: it is not abandoned.
  if (context.inHand.has(attemptId)) return;
  const run = await claimAbandoned(context.db, attemptId, leaseS);
  if (!run) return;
  await inSpan(context, { name: 'take over', kind: 'consumer' }, run, async (its) => {
    its.log.warn({ executionId: run.id, attemptId }, 'taking over an abandoned run');
    if (run.ended) await stop(its, run);
    else await work(its, run, 'recover');
  });
}
