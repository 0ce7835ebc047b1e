import type { Place } from './capacity.ts';
import type { Context } from './context.ts';
import type { Counted } from './limits.ts';

/** The run is over, or waits again: it counts no more against any limit, and makes room for another. */
export async function leave(context: Context, executionId: string, run: Counted & Place): Promise<void> {
  const definition = (await context.catalogue.find(run.model))?.definition ?? null;
  const learned = context.capacity.nameOf(run);
  const limited = (await context.limits()).names(run, definition);
  const names = learned === undefined ? limited : [...limited, learned];
  if (names.length === 0) return;
  await context.desk.release([{ executionId, names }]);
  context.scheduler.wake(names);
}
