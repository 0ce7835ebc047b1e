import type { Database } from '@holdfast/db/client';
import { isTestOrganization } from '@holdfast/db/organizations';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isSandbox, type ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { isConfigured } from '@holdfast/providers/connectionConfig';
import type { PendingExecution } from './backlog.ts';
import type { RouteTarget } from './capacity.ts';

/** The configured routes, and for a test organization the sandbox only. */
export type RouteFilter = (organizationId: string) => Promise<(route: ProviderRoute) => boolean>;

const maxKnown = 10_000;

/** Whether an organization is a test organization never changes, so it is looked up once. */
export function createRouteFilter(db: Database, connections: Record<string, Connection>): RouteFilter {
  const known = new Map<string, Promise<boolean>>();

  function isTest(id: string): Promise<boolean> {
    const found = known.get(id);
    if (found) return found;
    const lookup = isTestOrganization(db, id);
    if (known.size >= maxKnown) known.delete(known.keys().next().value ?? '');
    known.set(id, lookup);
    lookup.catch(() => known.delete(id));
    return lookup;
  }

  return async (organizationId) => {
    const isSandboxOnly = await isTest(organizationId);
    return (route) => isConfigured(route, connections) && (!isSandboxOnly || isSandbox(route));
  };
}

/** Best first. A first try draws it by weight; a retry starts where it was scheduled, without routes that refused it. */
export function routesFor(
  definition: ModelDefinition | null,
  retry: PendingExecution['retry'],
  isAllowed: (route: ProviderRoute) => boolean,
  chance = Math.random(),
): ProviderRoute[] {
  const allowed = (definition?.providers ?? []).filter(isAllowed);
  if (retry === null) {
    const first = drawByWeight(allowed, chance);
    return first ? [first, ...allowed.filter((route) => route !== first)] : allowed;
  }
  const at = allowed.findIndex((route) => isAt(retry, route));
  const inOrder = at === -1 ? allowed : [...allowed.slice(at), ...allowed.slice(0, at)];
  const left = inOrder.filter(
    (route) =>
      route === allowed[at] ||
      !retry.refusedAt.some(([connection, target]) => isAt({ connection, target }, route)),
  );
  return left.length > 0 ? left : inOrder;
}

export function isAt({ connection, target }: RouteTarget, route: ProviderRoute): boolean {
  return connection === route.connection && target === route.model;
}

function drawByWeight(routes: ProviderRoute[], chance: number): ProviderRoute | undefined {
  const total = routes.reduce((sum, { weight = 0 }) => sum + weight, 0);
  let left = chance * total;
  return routes.find(({ weight = 0 }) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
}
