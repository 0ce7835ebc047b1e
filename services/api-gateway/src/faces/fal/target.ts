import type { Request } from 'express';

/** What fal has on host names of its own: runs that wait, the queue, and the rest. */
const parts = ['run', 'queue', 'rest'] as const;
type Part = (typeof parts)[number];

/** Part, path and query of a request that a client of fal makes. */
export type FalTarget = { part: Part; path: string; query: string };

export const falPrefix = '/v1/fal/';
const proxyPath = `${falPrefix}proxy`;

/**
 * Takes a request to the paths of this face: one to a host name of its own, where paths begin at the root, or through
 * `/v1/fal/proxy`, which names fal's own URL in a header. That is read by its shape alone: nothing is ever dialled.
 */
export function enterFal(request: Request, hosts: readonly string[]): void {
  const target = targetOf(request, hosts);
  if (target === null) return;
  request.url = `${falPrefix}${target.part}${withApp(target)}${target.query}`;
  const [, key] = /^Key +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (key !== undefined) request.headers.authorization = `Bearer ${key}`;
}

function targetOf({ url, headers, hostname }: Request, hosts: readonly string[]): FalTarget | null {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  if (path === proxyPath) return proxied(headers['x-fal-target-url']);
  if (path.startsWith(falPrefix)) {
    const part = parts.find((one) => path.startsWith(`${falPrefix}${one}/`));
    return part === undefined ? null : { part, path: path.slice(falPrefix.length + part.length), query };
  }
  if (hosts.length === 0) return null;
  const [, sub, host = ''] = /^(?:(queue|rest)\.)?(.+)$/s.exec(hostname) ?? [];
  if (hosts.includes(host)) return { part: (sub ?? 'run') as Part, path, query };
  return hosts.includes(hostname) ? { part: 'run', path, query } : null;
}

function proxied(header: string | string[] | undefined): FalTarget | null {
  const url = URL.parse(header?.toString() ?? '');
  const [, sub, domain] = /^(?:([\w.-]+)\.)?fal\.(run|ai|media)$/.exec(url?.hostname ?? '') ?? [];
  if (url?.protocol !== 'https:' || domain === undefined) return null;
  const part = domain !== 'run' ? 'rest' : sub === 'queue' ? 'queue' : sub === undefined ? 'run' : null;
  return part && { part, path: url.pathname, query: url.search };
}

/** A word or two of an app's id, such as `fal-ai/flux/dev`; `workflows/` may come before. */
const app = String.raw`([\w.:~-]+(?:/[\w.:~-]+)+?)`;
const shapes: Record<Part, readonly RegExp[]> = {
  queue: [new RegExp(`^/${app}(/requests/[^/]+(?:/(?:status(?:/stream)?|cancel|response))?)?/?$`)],
  run: [new RegExp(`^/${app}(/stream)?/?$`)],
  rest: [],
};

/** The path with the id of the app as one segment, for the routes of the gateway. */
function withApp({ part, path }: FalTarget): string {
  for (const shape of shapes[part]) {
    const [, id, rest = ''] = shape.exec(path) ?? [];
    if (id !== undefined) return `/${encodeURIComponent(id)}${rest}`;
  }
  return path;
}
