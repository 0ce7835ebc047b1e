import type { Context } from '../context.ts';
import { work } from '../run.ts';

/**
 * PENDING -> PROCESSING, then the provider, for each as soon as there is room for it. Nothing for those that another
 * dispatcher has, or that have ended. Resolves when all are started: from then on the lease stands for a run, not the job.
 */
export async function dispatch(context: Context, executionIds: string[]): Promise<void> {
  await Promise.all(executionIds.map((id) => startOne(context, id)));
}

async function startOne(context: Context, executionId: string): Promise<void> {
  const { slots, starter, log } = context;
  if (!(await slots.take())) return;
  try {
    const started = await starter.start(executionId);
    if (!started) return slots.give();
    void work(context, started, 'submit')
      .catch((error: unknown) => log.error({ err: error, executionId }, 'a run was cut off'))
      .finally(slots.give);
  } catch (error) {
    slots.give();
    throw error;
  }
}
