import type { ClaimedAttempt } from '@holdfast/db/attempts/lease';
import type { Database } from '@holdfast/db/client';
import type { ModelCatalogue } from '@holdfast/db/models';
import { boundDefinition, type DefinitionVersions } from '@holdfast/domain/modelBinding';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { ProviderRoute } from '@holdfast/domain/modelRoute';
import type { Connection } from '@holdfast/providers/connection';
import type { Provider } from '@holdfast/providers/interface';
import type { Providers } from '@holdfast/providers/registry';
import type { RouteTarget } from '../schedule/capacity.ts';
import { createRouteFilter, isAt, type RouteFilter } from '../schedule/routes.ts';
import { type Trace, type TracedAttempt, tracedProvider } from './trace.ts';

export type Route = {
  /** What applies to the attempt: see `boundDefinition`. */
  definition: ModelDefinition;
  route: ProviderRoute;
  provider: Provider;
  connection: Connection;
  /** Without the attempt's token; null when the provider can't reach us. */
  callbackUrl: string | null;
};

export type Routes = {
  /** The route that the attempt was started on. Null when the model is unknown, or the connection is not configured here. */
  find(
    attempt: TracedAttempt & Pick<ClaimedAttempt, 'target' | 'versions'>,
    trace: Trace,
  ): Promise<Route | null>;
  filterFor: RouteFilter;
};

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

/** The current version stands in for one that is not known any more. */
async function readVersions(
  catalogue: ModelCatalogue,
  { model, versions: { created, started } }: Pick<ClaimedAttempt, 'model' | 'versions'>,
): Promise<DefinitionVersions | null> {
  const current = (await catalogue.find(model))?.definition;
  if (!current) return null;
  const read = async (id: string | null) => (id === null ? null : await catalogue.version(id)) ?? current;
  return { created: await read(created), started: await read(started), current };
}

/** The first version that has the route; otherwise another route of the connection, which may know the run. */
function routeOf(attempt: RouteTarget, definitions: ModelDefinition[]): ProviderRoute | undefined {
  const candidates = definitions.flatMap(({ providers }) => providers);
  return (
    candidates.find((route) => isAt(attempt, route)) ??
    candidates.find(({ connection }) => connection === attempt.connection)
  );
}
