import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from './usageError.ts';

/**
 * The database of the flag, else of DATABASE_URL, else of the `npm start` that runs in this folder.
 * @throws UsageError when the one named is no URL of PostgreSQL; an Error when there is none
 */
export function databaseUrl(named: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  if (named !== undefined) return checked(named, '--database-url');
  if (env['DATABASE_URL']) return checked(env['DATABASE_URL'], 'DATABASE_URL');
  const local = localUrl(resolve(env['HOLDFAST_HOME'] || '.holdfast', 'local.json'));
  if (local !== null) return local;
  throw new Error(
    'there is no database: give --database-url, set DATABASE_URL, or run npm start in this folder',
  );
}

/** What was given is not shown: it holds a password. */
function checked(url: string, source: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && isReadable(url)) return url;
  throw new UsageError(`${source} is no URL like postgresql://user:password@host:port/database`);
}

/** Also by the driver, which decodes what stands in it. */
function isReadable(url: string): boolean {
  try {
    const { username, password, pathname } = new URL(url);
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}

const localState = z.object({ database_url: z.string() });

/** What `npm start` has written there; null when none runs, or the file is not for us to read. */
function localUrl(path: string): string | null {
  try {
    return localState.parse(JSON.parse(readFileSync(path, 'utf8'))).database_url;
  } catch {
    return null;
  }
}
