import { pemFileProblem } from './redisAddress.ts';

export const databaseUrlForm =
  'postgresql://user:password@host:port/database (?sslmode=verify-full&sslrootcert=/path over TLS; host1:port,host2:port for the servers of a cluster)';

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];
/** Holdfast writes, so other values of libpq make no sense here. */
const sessionAttributes = ['read-write', 'primary'];

/** Why the driver could not use this URL, one line each, without repeating it: it may hold a password. */
export function databaseUrlProblems(url: string): string[] {
  const parameters = parametersOf(url);
  if (parameters === null) return [`is not a URL like ${databaseUrlForm}`];
  const mode = parameters.get('sslmode') ?? 'disable';
  const files = fileParameters.flatMap((name) => {
    const path = parameters.get(name);
    return path === null ? [] : (pemFileProblem(name, path) ?? []);
  });
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  return [
    ...(sslModes.includes(mode) ? [] : [`sslmode is none of ${sslModes.join(', ')}`]),
    ...(sessionAttributes.includes(attributes)
      ? []
      : [`target_session_attrs is none of ${sessionAttributes.join(', ')}`]),
    ...files,
  ];
}

/** The URL of each server: `postgresql://a:5432,b:5432/name` names two servers of one cluster. */
export function databaseServers(url: string): string[] {
  const [, scheme = '', login = '', hosts = '', rest = ''] = parts.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => scheme + login + host + rest);
}

// A password with a slash or a question mark is encoded, as in every URL.
const parts = /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s;

/** Changes the URL of each server. */
export function changeDatabaseUrl(url: string, change: (server: URL) => void): string {
  const changed = databaseServers(url).map((server) => {
    const one = new URL(server);
    change(one);
    return one;
  });
  const [first] = changed;
  if (changed.length === 1 || !first) return first?.href ?? url;
  const hosts = changed.map(({ host }) => host).join(',');
  return first.href.replace(parts, (_url, scheme: string, login = '', _host: string, rest: string) =>
    [scheme, login, hosts, rest].join(''),
  );
}

function parametersOf(url: string): URLSearchParams | null {
  if (!/^postgres(ql)?:\/\//.test(url)) return null;
  try {
    const servers = databaseServers(url).map((server, _index, { length }) => {
      if (length > 1 && new URL(server).host === '') throw new Error('a server has no name');
      // The driver accepts a user without a host, with the socket in `?host=`.
      const { username, password, pathname, searchParams } = new URL(server.replace('@/', '@socket/'));
      decodeURIComponent(username + password + pathname);
      return searchParams;
    });
    return servers[0] ?? null;
  } catch {
    return null;
  }
}
