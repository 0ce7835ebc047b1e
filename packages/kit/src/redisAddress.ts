import { readFileSync } from 'node:fs';

export function pemFileProblem(parameter: string, path: string): string | null {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ')
      ? null
      : `${parameter} ${path} is not a PEM file`;
  } catch (error) {
    return `${parameter} ${path} can't be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export type RedisAddress = {
  kind: 'server' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or some nodes of the cluster. */
  nodes: { host: string; port: number }[];
  isEncrypted: boolean;
  /** PEM; null: an authority that Node.js trusts. */
  caFile: string | null;
  certFile: string | null;
  keyFile: string | null;
  username: string | null;
  password: string | null;
  sentinelPassword: string | null;
  master: string | null;
  database: number;
};

export const redisUrlForms =
  'redis://default:password@host:port/0, redis+sentinel://default:password@host:port,host:port/master/0 or ' +
  'redis+cluster://default:password@host:port,host:port ' +
  '(rediss over TLS; ?cafile=/path for your own certificate authority, certfile and keyfile for a client certificate)';

const fileParameters = ['cafile', 'certfile', 'keyfile'];

const form = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/;

/** @throws an error without the URL, which may hold a password */
export function readRedisUrl(url: string): RedisAddress {
  const [, tls, kind = 'server', user = '', hosts = '', path = '', query] = form.exec(url) ?? refuse();
  const parameters = new URLSearchParams(query);
  const [username = '', password = ''] = splitAt(user, ':').map(decoded);
  const parts = path.split('/').slice(1).map(decoded);
  const master = kind === 'sentinel' ? parts.shift() || refuse() : null;
  const database = Number(parts[0] || 0);
  const isOfForm = parts.length <= 1 && Number.isInteger(database) && database >= 0;
  // A cluster has only database 0.
  if (!isOfForm || (kind === 'cluster' && database !== 0)) refuse();
  const nodes = hosts.split(',').map((node) => nodeOf(node, kind === 'sentinel' ? 26_379 : 6379));
  // Further parameters of a single server are up to the driver.
  if (kind === 'server' && (nodes.length > 1 || !URL.canParse(url))) refuse();
  return {
    kind: kind as RedisAddress['kind'],
    nodes,
    isEncrypted: tls === 's',
    caFile: parameters.get('cafile'),
    certFile: parameters.get('certfile'),
    keyFile: parameters.get('keyfile'),
    username: username || null,
    password: password || null,
    sentinelPassword: parameters.get('sentinelpassword'),
    master,
    database,
  };
}

export function redisUrlProblems(url: string): string[] {
  try {
    return parameterProblems(readRedisUrl(url), new URLSearchParams(url.split('?')[1]));
  } catch (error) {
    return [(error as Error).message];
  }
}

function parameterProblems({ kind, isEncrypted }: RedisAddress, parameters: URLSearchParams): string[] {
  const known = [...fileParameters, ...(kind === 'sentinel' ? ['sentinelpassword'] : [])];
  const isKnown = kind === 'server' || [...parameters.keys()].every((name) => known.includes(name));
  const files = fileParameters.filter((name) => parameters.has(name));
  const isHalf = parameters.has('certfile') !== parameters.has('keyfile');
  return [
    ...(isKnown ? [] : [`has a parameter that is none of ${known.join(', ')}`]),
    ...files.filter(() => !isEncrypted).map((name) => `${name} is for rediss, over TLS`),
    ...(isHalf ? ['certfile and keyfile go together'] : []),
    ...files.flatMap((name) => pemFileProblem(name, parameters.get(name) ?? '') ?? []),
  ];
}

function nodeOf(text: string, defaultPort: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? refuse();
  const number = Number(port ?? defaultPort);
  return number > 65_535 ? refuse() : { host: bracketed ?? plain ?? '', port: number };
}

function splitAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  return percentDecoded(text) ?? refuse();
}

function refuse(): never {
  throw new Error(`is not a URL like ${redisUrlForms}`);
}
