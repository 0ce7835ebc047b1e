import { percentDecoded } from '@holdfast/kit/redisAddress';
import type { Endpoint } from './endpoint.ts';

export type Match =
  | { kind: 'endpoint'; endpoint: Endpoint; params: Record<string, string> }
  | { kind: 'wrongMethod'; path: string; allowed: string[] }
  | { kind: 'unknown' };

type Route = { shape: RegExp; names: string[]; endpoint: Endpoint };

export type Routes = { find(method: string, path: string): Match };

/** HEAD matches as GET. A path that cannot be decoded matches nothing. */
export function createRoutes(endpoints: readonly Endpoint[]): Routes {
  const routes = endpoints.map(toRoute);
  // A path without parameters is the most exact match.
  const byPath = Map.groupBy(
    routes.filter(({ names }) => names.length === 0),
    ({ endpoint }) => endpoint.path,
  );
  return {
    find(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : method;
      const matching = byPath.get(path) ?? mostExact(routes.filter(({ shape }) => shape.test(path)));
      const route = matching.find(({ endpoint }) => endpoint.method === wanted);
      if (route) {
        const params = readParams(route, path);
        return params ? { kind: 'endpoint', endpoint: route.endpoint, params } : { kind: 'unknown' };
      }
      const [other] = matching;
      if (!other) return { kind: 'unknown' };
      return { kind: 'wrongMethod', path: other.endpoint.path, allowed: allowedMethods(matching) };
    },
  };
}

/** The path with parameter names, such as `/v1/executions/{id}`; null when no path matched. */
export function routeName(match: Match): string | null {
  if (match.kind === 'endpoint') return match.endpoint.path;
  return match.kind === 'wrongMethod' ? match.path : null;
}

function toRoute(endpoint: Endpoint): Route {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const pattern = endpoint.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/]+)');
  return { shape: new RegExp(`^${pattern}/?$`), names, endpoint };
}

/** `/v1/files/upload` matches only itself, not a file with the id `upload`. */
function mostExact(routes: Route[]): Route[] {
  const fewest = Math.min(...routes.map(({ names }) => names.length));
  return routes.filter(({ names }) => names.length === fewest);
}

function readParams({ shape, names }: Route, path: string): Record<string, string> | null {
  const values = shape.exec(path)?.slice(1).map(percentDecoded) ?? [];
  // PostgreSQL text cannot contain NUL.
  if (values.some((value) => value === null || value.includes('\0'))) return null;
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function allowedMethods(routes: Route[]): string[] {
  const methods = routes.map(({ endpoint }) => endpoint.method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}
