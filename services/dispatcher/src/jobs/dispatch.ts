import type { Context } from '../context.ts';
import { work } from '../run.ts';

/** PENDING -> PROCESSING, then the provider. Nothing when another dispatcher has it, or it has ended. */
export async function dispatch(context: Context, executionId: string): Promise<void> {
  const started = await context.starter.start(executionId);
  if (started) await work(context, started, 'submit');
}
