import { attemptsToStop } from '@holdfast/db/attempts/claim';
import { dropOutputsOfEnded } from '@holdfast/db/files';
import type { Context } from '../context.ts';
import { stop } from '../stop.ts';

/**
 * Tells the provider of an execution that was cancelled or has expired to stop. What it had made already, and nobody had
 * settled yet, is not kept.
 */
export async function abort(context: Context, executionId: string): Promise<void> {
  for (const run of await attemptsToStop(context.db, executionId)) await stop(context, run);
  await dropOutputsOfEnded(context.db, executionId);
}
