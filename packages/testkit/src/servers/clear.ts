import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphan } from '@holdfast/local/postgres/endOrphan';
import { postgresPlaces, removePostgresData } from '@holdfast/local/postgres/serverFolder';
import { endRedisOrphan } from '@holdfast/local/redis/endOrphan';
import { endUsers } from './endUsers.ts';

const depth = 3;

export async function clear(folder: string): Promise<void> {
  // The environment of every user of the run names the folder (config.ts).
  endUsers(folder);
  const places = foldersBelow(folder, depth);
  // All servers end before any data goes: pid files are part of it.
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
