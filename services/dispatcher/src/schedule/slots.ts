import { randomUUID } from 'node:crypto';
import type { Database } from '@holdfast/db/client';
import type { ModelCatalogue } from '@holdfast/db/models';
import { filterOpenRuns, openRuns } from '@holdfast/db/sweeps';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Progress } from '@holdfast/providers/interface';
import type { AdmissionControl, AdmissionRequest } from '@holdfast/queues/admission';
import type { PendingExecution } from './backlog.ts';
import type { Breakers } from './breakers.ts';
import { type BusyRun, type Capacity, queueOf, type RouteTarget } from './capacity.ts';
import { type CountedRun, combined, isUnlimited, type LimitsOf } from './limits.ts';
import { type RouteFilter, routesFor } from './routes.ts';

/** `request` is null when nothing limits the execution. */
export type Candidate = {
  pending: PendingExecution;
  routes: ProviderRoute[];
  /** The version of the model that has these routes; null: the model is unknown. */
  modelVersion: string | null;
  request: AdmissionRequest | null;
};

/** The right of an execution to have a run open, within the limits and capacities that all dispatchers share. */
export type Slots = Pick<AdmissionControl, 'admit' | 'withdraw'> & {
  candidates(pending: PendingExecution[]): Promise<Candidate[]>;
  /** Counts the result of a call for the provider's health and capacity. */
  called(run: RouteTarget, progress: Progress, time: { givenMs: number; usualMs: number }): void;
  /** Counts a busy refusal. Returns in how many ms the provider may be called again at the earliest. */
  refused(run: BusyRun, retryAfterMs: number): Promise<number>;
  release(run: CountedRun & RouteTarget & { executionId: string }): Promise<void>;
  /** The listener gets the names under which a released run was counted. */
  onFreed(listener: (names: readonly string[]) => void): void;
  /** Counts the open runs anew: a dispatcher that died released none, and Redis may have lost some. */
  reconcile(): Promise<void>;
};

export function openSlots(args: {
  db: Database;
  catalogue: Pick<ModelCatalogue, 'find' | 'list'>;
  admission: AdmissionControl;
  limits(): Promise<LimitsOf>;
  breakers: Breakers;
  capacity: Capacity;
  routeFilter: RouteFilter;
}): Slots {
  const { db, catalogue, admission, breakers, capacity } = args;
  let onFreed: (names: readonly string[]) => void = () => {};

  async function candidateOf(pending: PendingExecution, limits: LimitsOf): Promise<Candidate> {
    const { executionId, organizationId, model } = pending;
    const found = await catalogue.find(model);
    const definition = found?.definition ?? null;
    const modelVersion = found?.version ?? null;
    const routes = routesFor(definition, pending.retry, await args.routeFilter(organizationId));
    const own = combined(limits.organization(organizationId), limits.model(model, definition));
    const routeLimits = routes.map(({ connection, model: target }) => {
      const name = capacity.nameOf({ connection, target });
      return { connection, limits: limits.connection(connection), ...(name && { capacity: name }) };
    });
    const isFree =
      isUnlimited(own) &&
      routeLimits.every(
        (route) => isUnlimited(route.limits) && !route.capacity && !breakers.isOpen(route.connection),
      );
    // Without a route the execution starts only to fail, and takes no slot.
    if (isFree || routes.length === 0) return { pending, routes, modelVersion, request: null };
    const stays = definition?.on_busy === 'wait';
    const queue = queueOf(organizationId, pending.rank);
    const request = { executionId, queue, mark: randomUUID(), limits: own, routes: routeLimits, stays };
    return { pending, routes, modelVersion, request };
  }

  function namesOf(run: CountedRun & RouteTarget, limited: string[]): string[] {
    const learned = capacity.nameOf(run);
    return learned === undefined ? limited : [...limited, learned];
  }

  return {
    admit: admission.admit,
    withdraw: admission.withdraw,
    async candidates(pending) {
      const limits = await args.limits();
      return await Promise.all(pending.map((one) => candidateOf(one, limits)));
    },
    called(run, progress, time) {
      breakers.called(run.connection, progress, time);
      capacity.called(run, progress);
    },
    refused: capacity.refused,
    async release(run) {
      const definition = (await catalogue.find(run.model))?.definition ?? null;
      const names = namesOf(run, (await args.limits()).names(run, definition));
      if (names.length === 0) return;
      await admission.release([{ executionId: run.executionId, names }]);
      onFreed(names);
    },
    onFreed(listener) {
      onFreed = listener;
    },
    async reconcile() {
      const limits = await args.limits();
      const definitions = (await catalogue.list()).map(({ definition }) => definition);
      if (!limits.hasAny(definitions) && !capacity.isLearned()) return;
      const bySlug = new Map(definitions.map((definition) => [definition.slug, definition]));
      const open = new Map<string, Set<string>>();
      for (const run of await openRuns(db)) {
        for (const name of namesOf(run, limits.names(run, bySlug.get(run.model) ?? null))) {
          open.set(name, (open.get(name) ?? new Set()).add(run.executionId));
        }
      }
      const uncounted = await admission.reconcile(open);
      // A run that has ended since the query was released already, and must not be counted again.
      const ids = [...uncounted.values()].flatMap((runs) => [...runs]);
      const isOpen = new Set(ids.length > 0 ? await filterOpenRuns(db, ids) : []);
      await admission.count(
        new Map(
          [...uncounted].map(([name, runs]) => [name, new Set([...runs].filter((id) => isOpen.has(id)))]),
        ),
      );
    },
  };
}
