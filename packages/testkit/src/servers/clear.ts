import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphan } from '@holdfast/local/postgres/endOrphan';
import { postgresPlaces, removePostgresData } from '@holdfast/local/postgres/serverFolder';
import { endRedisOrphan } from '@holdfast/local/redis/endOrphan';
import { endUsers } from './endUsers.ts';

/** A run's folder, a test's folder in it, and the server's folder in that. */
const depth = 3;

/** Ends who uses the run in `folder`, then every embedded server on data in it, and removes it all. */
export async function clear(folder: string): Promise<void> {
  // The folder's name stands in the environment of whoever uses the run's servers (config.ts).
  endUsers(folder);
  const places = foldersBelow(folder, depth);
  // Every server ends before any data goes: its pid file is part of the data.
  for (const place of places) {
    for (const data of postgresPlaces(place)) await endOrphan(join(data, 'data'));
    await endRedisOrphan(place);
  }
  for (const place of places) removePostgresData(place);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function foldersBelow(folder: string, levels: number): string[] {
  if (levels === 0) return [];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap(({ name }) => foldersBelow(join(folder, name), levels - 1))];
}
