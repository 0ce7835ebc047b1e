import type { Database } from '@holdfast/db/client';
import type { ModelCatalogue, ModelVersions } from '@holdfast/db/models';
import { isTestOrganization } from '@holdfast/db/organizations';
import { boundDefinition, type DefinitionVersions } from '@holdfast/domain/modelBinding';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isSandbox, type ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import { isConfigured } from '@holdfast/providers/connectionConfig';
import type { Provider } from '@holdfast/providers/interface';
import type { Providers } from '@holdfast/providers/registry';
import { type Trace, type TracedAttempt, tracedProvider } from '../attempt/trace.ts';
import type { PendingExecution } from './backlog.ts';
import type { RouteTarget } from './capacity.ts';

export type Route = {
  /** What applies to the attempt: see `boundDefinition`. */
  definition: ModelDefinition;
  route: ProviderRoute;
  provider: Provider;
  connection: Connection;
  /** Without the attempt's token; null when the provider can't reach us. */
  callbackUrl: string | null;
};

type RoutedAttempt = TracedAttempt & { target: string; versions: ModelVersions };

export type Routes = {
  /** The route that the attempt was started on. Null when the model is unknown, or the connection is not configured here. */
  find(attempt: RoutedAttempt, trace: Trace): Promise<Route | null>;
  filterFor: RouteFilter;
};

/** The configured routes, and for a test organization the sandbox only. */
export type RouteFilter = (organizationId: string) => Promise<(route: ProviderRoute) => boolean>;

export function openRoutes(args: {
  db: Database;
  catalogue: ModelCatalogue;
  providers: Providers;
  connections: Record<string, Connection>;
  callbackBaseUrl: string | null;
}): Routes {
  const { db, catalogue, providers, connections, callbackBaseUrl } = args;
  return {
    async find(attempt, trace) {
      const versions = await readVersions(catalogue, attempt);
      const route = versions && routeOf(attempt, [versions.started, versions.current]);
      const provider = route && providers.find(route);
      const connection = route && connections[route.connection];
      if (!versions || !provider || !connection) return null;
      return {
        definition: boundDefinition(versions),
        route,
        provider: trace.span ? tracedProvider(provider, trace, attempt) : provider,
        connection,
        callbackUrl: callbackBaseUrl && `${callbackBaseUrl}/v1/callbacks/${route.connection}`,
      };
    },
    filterFor: createRouteFilter(db, connections),
  };
}

/** The current version stands in for one that the previous version of Holdfast did not write. */
async function readVersions(
  catalogue: ModelCatalogue,
  { model, versions: { created, started } }: RoutedAttempt,
): Promise<DefinitionVersions | null> {
  const current = (await catalogue.find(model))?.definition;
  if (!current) return null;
  const read = async (id: string | null) => (id === null ? null : await catalogue.version(id)) ?? current;
  return { created: await read(created), started: await read(started), current };
}

/** Of several versions the first that has it; otherwise another one of the connection, which may know the run. */
function routeOf(attempt: RouteTarget, definitions: ModelDefinition[]): ProviderRoute | undefined {
  const candidates = definitions.flatMap(({ providers }) => providers);
  return (
    candidates.find((route) => isAt(attempt, route)) ??
    candidates.find(({ connection }) => connection === attempt.connection)
  );
}

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
