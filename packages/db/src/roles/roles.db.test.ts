import { randomBytes } from 'node:crypto';
import {
  asRole,
  createBareDatabase,
  createTestDatabase,
  openTestPool,
  rolePasswords,
} from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../migrate/migrate.ts';
import { functions, type Role, rights, roles, tables } from './rights.ts';
import { applyRoles } from './roles.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: pg.Pool;
let pools: Record<Role, pg.Pool>;

beforeAll(async () => {
  database = await createTestDatabase();
  await applyRoles(database.url, rolePasswords);
  owner = openTestPool(database.url);
  pools = Object.fromEntries(roles.map((role) => [role, openTestPool(asRole(database.url, role))])) as Record<
    Role,
    pg.Pool
  >;
});

afterAll(async () => {
  await Promise.all([owner, ...Object.values(pools)].map((pool) => pool.end()));
  await database.drop();
});

const refusal = /^(permission denied|must be owner)/;
async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

/** With a user of these attributes; `as` is a database's URL logged in to as that user. */
async function withUser(
  attributes: string,
  work: (as: (url: string) => string, name: string) => Promise<void>,
): Promise<void> {
  const name = `user_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(8).toString('hex');
  await owner.query(`CREATE ROLE ${name} ${attributes} PASSWORD '${password}'`);
  const as = (url: string) => Object.assign(new URL(url), { username: name, password }).href;
  await work(as, name);
  await owner.query(`DROP ROLE ${name}`);
}

/** Another test's setup may be at the same role, which is the whole server's. */
const byHand = (statement: string) =>
  until(statement, () =>
    owner.query(statement).then(
      () => true,
      (error: Error) => {
        if (error.message.includes('concurrently')) return false;
        throw error;
      },
    ),
  );

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const doneBy = (role: Role, statement: string) => pools[role].query(statement);

describe('the rights of the services on the database', () => {
  it('cover every table and no other', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition AND relname <> '_prisma_migrations'`,
    );
    expect(tables.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
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

  it.each(roles)(
    'let %s call those functions that run as the owner that are named, and no other',
    async (role) => {
      const { rows } = await owner.query<{ name: string }>(
        `SELECT oid::regprocedure::text AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND prosecdef AND has_function_privilege($1, oid, 'EXECUTE')`,
        [role],
      );
      const named = (functions[role] ?? []).map((name) => name.replaceAll(', ', ','));
      expect(rows.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    },
  );

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
    ['holdfast_gateway', 'CREATE SCHEMA mine'],
    ['holdfast_gateway', "UPDATE webhook_endpoints SET url = ''"],
    ['holdfast_dispatcher', 'UPDATE balances SET available = 1000'],
    ['holdfast_dispatcher', 'SELECT * FROM transfers'],
    ['holdfast_dispatcher', 'SELECT * FROM api_key_values'],
    ['holdfast_dispatcher', 'UPDATE executions SET cost = 0'],
    ['holdfast_dispatcher', 'UPDATE attempts SET settled_at = now()'],
    ['holdfast_dispatcher', "UPDATE files SET organization_id = ''"],
    ['holdfast_ledger', 'SELECT secret FROM webhook_endpoints'],
    ['holdfast_ledger', 'UPDATE executions SET input = NULL'],
    ['holdfast_ledger', 'DROP TABLE balances'],
    ['holdfast_ledger', 'SELECT drop_journal_partitions(10000)'],
    ['holdfast_ledger', 'DELETE FROM attempts'],
    ['holdfast_gateway', 'SELECT drop_partitions(10000)'],
    ['holdfast_dispatcher', 'SELECT make_partitions(1)'],
    ['holdfast_webhook_sender', 'SELECT drop_partitions(10000)'],
    ['holdfast_webhook_sender', 'SELECT * FROM api_key_values'],
    ['holdfast_webhook_sender', 'UPDATE webhook_endpoints SET url = NULL'],
    ['holdfast_webhook_sender', 'SELECT * FROM balances'],
    [
      'holdfast_webhook_sender',
      "INSERT INTO events (id, organization_id, execution_id, type) VALUES ('evt_', 'org_', 'exec_', 'execution.completed')",
    ],
    ['holdfast_webhook_sender', "UPDATE deliveries SET organization_id = ''"],
  ] as const)('refuse %s: %s', async (role, statement) => {
    await expect(doneBy(role, statement)).rejects.toThrow(refusal);
  });
});

describe('applying the rights', () => {
  it('revokes rights granted by hand, and restores rights that were revoked', async () => {
    await owner.query('GRANT SELECT ON api_key_values TO holdfast_dispatcher');
    await owner.query('GRANT UPDATE (cost) ON executions TO holdfast_dispatcher');
    await owner.query('REVOKE SELECT ON models FROM holdfast_dispatcher');
    await owner.query('GRANT EXECUTE ON FUNCTION drop_journal_partitions TO holdfast_ledger, PUBLIC');
    await applyRoles(database.url, rolePasswords);
    await expect(doneBy('holdfast_dispatcher', 'SELECT FROM api_key_values')).rejects.toThrow(refusal);
    await expect(doneBy('holdfast_dispatcher', 'UPDATE executions SET cost = 0')).rejects.toThrow(refusal);
    await expect(doneBy('holdfast_dispatcher', 'SELECT FROM models')).resolves.toBeDefined();
    await expect(doneBy('holdfast_ledger', 'SELECT drop_journal_partitions(10000)')).rejects.toThrow(refusal);
  });

  it('revokes rights of PUBLIC, and rights of a role on other objects than tables', async () => {
    await owner.query('GRANT SELECT ON api_key_values TO PUBLIC');
    await owner.query(`GRANT CREATE ON DATABASE ${nameOf(database.url)} TO PUBLIC, holdfast_ledger`);
    await byHand('GRANT pg_read_all_data TO holdfast_ledger');
    await byHand('ALTER ROLE holdfast_ledger CREATEDB INHERIT');
    await applyRoles(database.url, rolePasswords);
    await connected(asRole(database.url, 'holdfast_ledger'), async (ledger) => {
      for (const statement of [
        'SELECT FROM api_key_values',
        'CREATE SCHEMA mine',
        'CREATE DATABASE mine',
        'SET ROLE pg_read_all_data',
      ]) {
        await expect(ledger.query(statement)).rejects.toThrow(refusal);
      }
    });
  });

  it('lets no other role connect', async () => {
    await withUser('LOGIN', async (as) => {
      await expect(connected(as(database.url), async () => {})).rejects.toThrow(
        'permission denied for database',
      );
    });
  });

  it('needs an owner who may create roles, not a superuser', async () => {
    const bare = await createBareDatabase();
    await withUser('LOGIN CREATEROLE', async (as, name) => {
      // On this server the roles are there already; whoever makes them gets this right with them.
      await owner.query(`GRANT ${roles.join(', ')} TO ${name} WITH ADMIN OPTION`);
      await owner.query(`ALTER DATABASE ${nameOf(bare.url)} OWNER TO ${name}`);
      await migrate(as(bare.url));
      await connected(bare.url, async (other) => {
        await other.query('CREATE TABLE somebody_elses (id int)');
      });
      await applyRoles(as(bare.url), rolePasswords);
      await connected(asRole(bare.url, 'holdfast_ledger'), async (ledger) => {
        await expect(ledger.query('SELECT FROM balances')).resolves.toBeDefined();
        await expect(ledger.query('SELECT FROM api_keys')).rejects.toThrow(refusal);
      });
      await bare.drop();
    });
  });

  it('serializes concurrent setups of one database', async () => {
    const setups = Array.from({ length: 15 }, () => applyRoles(database.url, rolePasswords));
    expect(await Promise.all(setups)).toHaveLength(15);
  });

  it('works for several databases of one server at once', async () => {
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

  it('refuses a login with a wrong password', async () => {
    const wrong = new URL(asRole(database.url, 'holdfast_ledger'));
    wrong.password = randomBytes(8).toString('hex');
    const client = new pg.Client({ connectionString: wrong.href });
    await expect(client.connect()).rejects.toThrow('password authentication failed');
  });
});
