import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@holdfast/db/client';
import { createDatabase, dropDatabase } from '@holdfast/db/databases';
import { readTestServers } from './config.ts';
import { serverUrl, templateName } from './template.ts';

/** A migrated, empty database; `drop` ends its connections. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = serverUrl(readTestServers().templateUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(server, name, { template: templateName });
  return { url, drop: () => dropDatabase(server, name) };
}

export async function openTestDatabase(
  poolSize = 2,
): Promise<{ db: Database; url: string; close: () => Promise<void> }> {
  const { url, drop } = await createTestDatabase();
  const db = openDatabase({ url, poolSize, applicationName: 'test' });
  return {
    db,
    url,
    async close() {
      await db.close();
      await drop();
    },
  };
}

/** Without tables: for migrations. */
export async function createBareDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = serverUrl(readTestServers().templateUrl);
  const name = `bare_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(server, name);
  return { url, drop: () => dropDatabase(server, name) };
}
