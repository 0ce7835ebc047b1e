import { randomBytes } from 'node:crypto';
import { createDatabase } from '@holdfast/db/databases/createDatabase';
import { dropDatabase } from '@holdfast/db/databases/dropDatabase';
import { readTestServers } from './config.ts';
import { serverUrl, templateName } from './template.ts';

/** A migrated, empty database of one's own; `drop` ends whatever is still connected to it. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = serverUrl(readTestServers().templateUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(server, name, { template: templateName });
  return { url, drop: () => dropDatabase(server, name) };
}

/** An empty database without any table, for what works on bare databases (migrations). */
export async function createBareDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = serverUrl(readTestServers().templateUrl);
  const name = `bare_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(server, name);
  return { url, drop: () => dropDatabase(server, name) };
}
