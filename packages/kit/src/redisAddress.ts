import { readFileSync } from 'node:fs';

/** What keeps a file, named by `parameter` of a URL, from being a certificate or a key; null when nothing does. */
export function pemFileProblem(parameter: string, path: string): string | null {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ') ? null : `${parameter} ${path} is no PEM file`;
  } catch (error) {
    return `${parameter} ${path} can't be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** A text from a URL or a header without its percent signs; null when it is not encoded as it should be. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Where Redis is, as REDIS_URL says it. */
export type RedisAddress = {
  kind: 'server' | 'sentinel' | 'cluster';
  /** Of the server, of the sentinels, or of some nodes of the cluster, which tell of the others. */
  nodes: { host: string; port: number }[];
  isEncrypted: boolean;
  /** PEM of the authority that signed the servers' certificates; null: one that Node.js trusts. */
  caFile: string | null;
  /** PEM of what we show to servers that ask who we are; null: nothing. */
  certFile: string | null;
  keyFile: string | null;
  username: string | null;
  password: string | null;
  /** What the sentinels ask for, which is not what Redis asks for. */
  sentinelPassword: string | null;
  /** The name under which sentinels know the master. */
  master: string | null;
  database: number;
};

export const redisUrlForms =
  'redis://default:password@host:port/0, redis+sentinel://default:password@host:port,host:port/master/0 or ' +
  'redis+cluster://default:password@host:port,host:port ' +
  '(rediss over TLS; ?cafile=/path for an authority of your own, certfile and keyfile for a certificate to show)';

const fileParameters = ['cafile', 'certfile', 'keyfile'];

const form = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?]*)@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/;

/** @throws when it is none of these forms; the message does not repeat it, for it may hold a password */
export function readRedisUrl(url: string): RedisAddress {
  const [, tls, kind = 'server', user = '', hosts = '', path = '', query] = form.exec(url) ?? refuse();
  const parameters = new URLSearchParams(query);
  const [username = '', password = ''] = splitAt(user, ':').map(decoded);
  const parts = path.split('/').slice(1).map(decoded);
  const master = kind === 'sentinel' ? parts.shift() || refuse() : null;
  const database = Number(parts[0] || 0);
  const isOfForm = parts.length <= 1 && Number.isInteger(database) && database >= 0;
  // A cluster has the one database.
  if (!isOfForm || (kind === 'cluster' && database !== 0)) refuse();
  const nodes = hosts.split(',').map((node) => nodeOf(node, kind === 'sentinel' ? 26_379 : 6379));
  // What one server may be told beside its address is up to the driver.
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

/** What keeps this from being used, a line each; none repeats the URL, for it may hold a password. */
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

function nodeOf(text: string, usualPort: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? refuse();
  const number = Number(port ?? usualPort);
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
  throw new Error(`is no URL like ${redisUrlForms}`);
}
