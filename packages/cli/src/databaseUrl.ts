import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CliConfig } from './config.ts';

export type Target = {
  url: string;
  /** Where it is and who said so, without credentials. */
  name: string;
};

/** There is no database to work with, or none that can be used; the message says all. */
export class NoDatabaseError extends Error {}

/** The database of the flag, else of the environment, else of the `npm start` that runs here. @throws NoDatabaseError */
export function findDatabase(flag: string | null, { databaseUrl, statePath }: CliConfig): Target {
  if (flag !== null) return target(flag, '--database-url');
  if (databaseUrl !== null) return target(databaseUrl, 'DATABASE_URL');
  const local = readLocalUrl(statePath);
  if (local !== null) return target(local, `npm start, ${statePath}`);
  throw new NoDatabaseError('which database? Give --database-url, set DATABASE_URL, or run npm start here');
}

function target(url: string, source: string): Target {
  if (!URL.canParse(url)) throw new NoDatabaseError(`${source} holds no URL of a database`);
  const { host, pathname } = new URL(url);
  return { url, name: `${host}${pathname} (${source})` };
}

const localState = z.object({ database_url: z.string() });

/** Null when no `npm start` runs, or its file is not readable for us. */
function readLocalUrl(path: string): string | null {
  try {
    return localState.parse(JSON.parse(readFileSync(path, 'utf8'))).database_url;
  } catch {
    return null;
  }
}
