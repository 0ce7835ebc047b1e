import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@holdfast/db/client';
import { createDatabase, databaseUrl, dropDatabase } from '@holdfast/db/databases';
import { type Role, type roleOf, roles } from '@holdfast/db/roles/rights';
import { applyRoles } from '@holdfast/db/roles/roles';
import { openCluster, openPool } from '@holdfast/db/session';
import { changeDatabaseUrl } from '@holdfast/kit/databaseAddress';
import { readTestServers } from './config.ts';

/** The database that every test's own is a copy of. */
export const templateName = 'template_holdfast';

/** The maintenance database of the server that `url` points at. */
export function serverUrl(url: string): string {
  return databaseUrl(url, 'postgres');
}

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

/** Logins of the owner, the ledger and the gateway to one new database. */
export async function openTestRoles(poolSize = 10) {
  const { url, drop } = await createTestDatabase();
  await applyRoles(url, rolePasswords);
  const open = (login: string) => openDatabase({ url: login, poolSize, applicationName: 'test' });
  const logins = {
    owner: open(url),
    ledger: open(asRole(url, 'holdfast_ledger')),
    gateway: open(asRole(url, 'holdfast_gateway')),
  };
  return {
    ...logins,
    async close() {
      await Promise.all(Object.values(logins).map((db) => db.close()));
      await drop();
    },
  };
}

/** The pool has one session. One that is still closing when its database is dropped ends with an error, which is ignored. */
export const openTestPool = (url: string) => openPool(openCluster(url), { max: 1 });

/** Without tables: for migrations. */
export async function createBareDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = serverUrl(readTestServers().templateUrl);
  const name = `bare_${randomBytes(8).toString('hex')}`;
  const url = await createDatabase(server, name);
  return { url, drop: () => dropDatabase(server, name) };
}

const passwordOf = (role: Role) => `password-of-${role}`;

export const rolePasswords = Object.fromEntries(roles.map((role) => [role, passwordOf(role)])) as Record<
  Role,
  string
>;

/** The same database with the login of a service's role. */
export function asRole(databaseUrl: string, role: Role): string {
  const login = { username: role, password: passwordOf(role) };
  return changeDatabaseUrl(databaseUrl, (server) => void Object.assign(server, login));
}

export type ServiceName = keyof typeof roleOf;
