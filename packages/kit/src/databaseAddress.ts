import { pemFileProblem } from './redisAddress.ts';

export const databaseUrlForm =
  'postgresql://user:password@host:port/database (?sslmode=verify-full&sslrootcert=/path over TLS)';

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/** Why the driver could not use this URL, one line each, without repeating it: it may hold a password. */
export function databaseUrlProblems(url: string): string[] {
  const parameters = parametersOf(url);
  if (parameters === null) return [`is not a URL like ${databaseUrlForm}`];
  const mode = parameters.get('sslmode') ?? 'disable';
  const files = fileParameters.flatMap((name) => {
    const path = parameters.get(name);
    return path === null ? [] : (pemFileProblem(name, path) ?? []);
  });
  return sslModes.includes(mode) ? files : [`sslmode is none of ${sslModes.join(', ')}`, ...files];
}

function parametersOf(url: string): URLSearchParams | null {
  if (!/^postgres(ql)?:\/\//.test(url)) return null;
  try {
    // The driver accepts a user without a host, with the socket in `?host=`.
    const { username, password, pathname, searchParams } = new URL(url.replace('@/', '@socket/'));
    decodeURIComponent(username + password + pathname);
    return searchParams;
  } catch {
    return null;
  }
}
