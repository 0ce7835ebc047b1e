import { randomBytes } from 'node:crypto';
import { asRole, rolePasswords } from '@holdfast/testkit/asRole';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyRoles } from './applyRoles.ts';
import { type Role, rights, roles } from './rights.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: pg.Pool;
let pools: Record<Role, pg.Pool>;

beforeAll(async () => {
  database = await createTestDatabase();
  await applyRoles(database.url, rolePasswords);
  owner = new pg.Pool({ connectionString: database.url, max: 1 });
  pools = Object.fromEntries(
    roles.map((role) => [role, new pg.Pool({ connectionString: asRole(database.url, role), max: 1 })]),
  ) as Record<Role, pg.Pool>;
});

afterAll(async () => {
  await Promise.all([owner, ...Object.values(pools)].map((pool) => pool.end()));
  await database.drop();
});

const refusal = /^(permission denied|must be owner)/;
const doneBy = (role: Role, statement: string) => pools[role].query(statement);

describe('the rights of the services on the database', () => {
  it('speak of every table, and of no other', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
    );
    const named = new Set(roles.flatMap((role) => Object.keys(rights[role])));
    expect([...named].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it.each(roles)('let %s read and write its own tables and no other', async (role) => {
    const { rows } = await owner.query<{ table: string; may: string[] }>(
      `SELECT t.tablename AS "table", array(
         SELECT right_ FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS right_
         WHERE CASE WHEN right_ IN ('SELECT', 'INSERT', 'UPDATE')
           THEN has_any_column_privilege($1, t.tablename::regclass, right_)
           ELSE has_table_privilege($1, t.tablename::regclass, right_) END) AS may
       FROM pg_tables t WHERE t.schemaname = 'public'`,
      [role],
    );
    const granted = (table: string) =>
      (rights[role][table] ?? '')
        .replaceAll(/ \([^)]*\)/g, '')
        .split(', ')
        .filter(Boolean);
    for (const { table, may } of rows) expect({ table, may }).toEqual({ table, may: granted(table) });
  });

  it.each([
    ['holdfast_gateway', 'UPDATE transfers SET amount = 1'],
    ['holdfast_gateway', 'DELETE FROM transfers'],
    ['holdfast_gateway', 'TRUNCATE transfers'],
    ['holdfast_gateway', 'ALTER TABLE transfers DISABLE TRIGGER ALL'],
    ['holdfast_gateway', 'UPDATE executions SET cost = 0'],
    ['holdfast_gateway', 'SELECT * FROM _prisma_migrations'],
    ['holdfast_gateway', 'CREATE TABLE mine (id int)'],
    ['holdfast_gateway', 'CREATE TEMPORARY TABLE mine (id int)'],
    ['holdfast_gateway', 'CREATE ROLE mine'],
    ['holdfast_dispatcher', 'UPDATE balances SET available = 1000'],
    ['holdfast_dispatcher', 'SELECT * FROM transfers'],
    ['holdfast_dispatcher', 'SELECT * FROM api_key_values'],
    ['holdfast_dispatcher', 'UPDATE executions SET cost = 0'],
    ['holdfast_ledger', 'SELECT secret FROM webhook_endpoints'],
    ['holdfast_ledger', 'UPDATE executions SET input = NULL'],
    ['holdfast_ledger', 'DROP TABLE balances'],
    ['holdfast_webhook_sender', 'SELECT * FROM api_key_values'],
    ['holdfast_webhook_sender', 'UPDATE webhook_endpoints SET url = NULL'],
    ['holdfast_webhook_sender', 'SELECT * FROM balances'],
  ] as const)('refuse %s: %s', async (role, statement) => {
    await expect(doneBy(role, statement)).rejects.toThrow(refusal);
  });
});

describe('applying them', () => {
  it('takes away what was given by hand, and gives back what was taken', async () => {
    await owner.query('GRANT SELECT ON api_key_values TO holdfast_dispatcher');
    await owner.query('GRANT UPDATE (cost) ON executions TO holdfast_dispatcher');
    await owner.query('REVOKE SELECT ON models FROM holdfast_dispatcher');
    await applyRoles(database.url, rolePasswords);
    await expect(doneBy('holdfast_dispatcher', 'SELECT FROM api_key_values')).rejects.toThrow(refusal);
    await expect(doneBy('holdfast_dispatcher', 'UPDATE executions SET cost = 0')).rejects.toThrow(refusal);
    await expect(doneBy('holdfast_dispatcher', 'SELECT FROM models')).resolves.toBeDefined();
  });

  it('works on several databases of a server at once', async () => {
    const others = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
    await Promise.all(
      [database, ...others].flatMap(({ url }) => [
        applyRoles(url, rolePasswords),
        applyRoles(url, rolePasswords),
      ]),
    );
    await Promise.all(others.map((other) => other.drop()));
    await expect(doneBy('holdfast_ledger', 'SELECT FROM balances')).resolves.toBeDefined();
  });

  it('refuses a password that is not the role’s', async () => {
    const wrong = new URL(asRole(database.url, 'holdfast_ledger'));
    wrong.password = randomBytes(8).toString('hex');
    const client = new pg.Client({ connectionString: wrong.href });
    await expect(client.connect()).rejects.toThrow('password authentication failed');
  });
});
