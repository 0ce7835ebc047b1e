import { filterOpenRuns, openRuns } from '@holdfast/db/sweeps';
import type { Context } from './context.ts';

/**
 * Brings what is counted against limits in line with what is under way: a dispatcher that died has let go of nothing, and
 * a Redis that was emptied knows of nothing.
 */
export async function countRuns(context: Context): Promise<void> {
  const limits = await context.limits();
  const models = (await context.catalogue.list()).map(({ definition }) => definition);
  if (!limits.areSet(models) && !context.capacity.isLearned()) return;
  const definitions = new Map(models.map((definition) => [definition.slug, definition]));
  const open = new Map<string, Set<string>>();
  for (const run of await openRuns(context.db)) {
    const learned = context.capacity.nameOf(run);
    const names = limits.names(run, definitions.get(run.model) ?? null);
    for (const name of learned === undefined ? names : [...names, learned]) {
      const runs = open.get(name) ?? new Set<string>();
      open.set(name, runs.add(run.executionId));
    }
  }
  const uncounted = await context.desk.reconcile(open);
  // A run that ended since it was looked up was let go of, and would be counted for nothing.
  const ids = [...uncounted.values()].flatMap((runs) => [...runs]);
  const isOpen = new Set(ids.length > 0 ? await filterOpenRuns(context.db, ids) : []);
  await context.desk.count(
    new Map([...uncounted].map(([name, runs]) => [name, new Set([...runs].filter((id) => isOpen.has(id)))])),
  );
}
