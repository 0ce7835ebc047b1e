/** Where Redis is, as REDIS_URL says it. */
export type RedisAddress = {
  kind: 'server' | 'sentinel' | 'cluster';
  /** Of the server, of the sentinels, or of some nodes of the cluster, which tell of the others. */
  nodes: { host: string; port: number }[];
  isEncrypted: boolean;
  /** PEM of the authority that signed the servers' certificates; null: one that Node.js trusts. */
  caFile: string | null;
  username: string | null;
  password: string | null;
  /** What the sentinels ask for, which is not what Redis asks for. */
  sentinelPassword: string | null;
  /** The name under which sentinels know the master. */
  master: string | null;
  database: number;
};

export const redisUrlForms =
  'redis://:password@host:port/0, redis+sentinel://:password@host:port,host:port/master/0 or ' +
  'redis+cluster://:password@host:port,host:port (rediss over TLS, ?cafile=/path for an authority of your own)';

const form = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/;

/** @throws when it is none of these forms; the message does not repeat it, for it may hold a password */
export function readRedisUrl(url: string): RedisAddress {
  const [, tls, kind = 'server', user = '', hosts = '', path = '', query] = form.exec(url) ?? refuse();
  const parameters = new URLSearchParams(query);
  const [username = '', password = ''] = splitAt(user, ':').map(decodeURIComponent);
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const master = kind === 'sentinel' ? parts.shift() || refuse() : null;
  const database = Number(parts[0] || 0);
  const isOfForm = parts.length <= 1 && Number.isInteger(database) && database >= 0;
  // A cluster has the one database.
  if (!isOfForm || (kind === 'cluster' && database !== 0)) refuse();
  const nodes = hosts.split(',').map((node) => nodeOf(node, kind === 'sentinel' ? 26_379 : 6379));
  if (kind === 'server' && nodes.length > 1) refuse();
  return {
    kind: kind as RedisAddress['kind'],
    nodes,
    isEncrypted: tls === 's',
    caFile: parameters.get('cafile'),
    username: username || null,
    password: password || null,
    sentinelPassword: parameters.get('sentinelpassword'),
    master,
    database,
  };
}

function nodeOf(text: string, usualPort: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? refuse();
  return { host: bracketed ?? plain ?? '', port: port === undefined ? usualPort : Number(port) };
}

function splitAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function refuse(): never {
  throw new Error(`is no URL like ${redisUrlForms}`);
}
