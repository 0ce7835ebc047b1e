import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { retry } from '@holdfast/kit/retry';
import pg from 'pg';
import { openCluster, openPool } from '../session.ts';
import { inTransaction } from '../statement.ts';
import { functions, type Role, rights, roles, streamTransfersSql, tables, transferKinds } from './rights.ts';

const iterations = 4096;

/** RFC 5803, for ASCII passwords; computed here so that the password reaches neither the server nor its log. */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

const lock = 4_652_115_922;

/** Roles are shared by the whole server: the setup of another database may change them concurrently. */
const maxRetries = 9;

const power = ['SUPERUSER', 'CREATEDB', 'CREATEROLE', 'REPLICATION', 'BYPASSRLS'];

/** Grants exactly `rights`. Run after migrations, as the tables' owner with CREATEROLE. Revokes CONNECT from PUBLIC. */
export async function applyRoles(databaseUrl: string, passwords: Record<Role, string>): Promise<void> {
  const pool = openPool(openCluster(databaseUrl), { max: 1, application_name: 'holdfast-roles' });
  try {
    const work = () => inTransaction({ pool }, (client) => apply(client, passwords));
    await retry(work, { delaysMs: Array<number>(maxRetries).fill(0), isRetryable: isCollision });
  } finally {
    await pool.end();
  }
}

// Only our own tables: one REVOKE on a table of another owner would fail the whole statement.
const things = `
SELECT 'DATABASE ' || quote_ident(current_database()) AS database, (
  SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_has_role(relowner, 'USAGE')
) AS relations, (
  SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND prosecdef AND pg_has_role(proowner, 'USAGE')
) AS definers`;

type Things = { database: string; relations: string; definers: string };

async function apply(client: pg.PoolClient, passwords: Record<Role, string>): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  const { rows } = await client.query<Things>(things);
  const [found = { database: '', relations: '', definers: '' }] = rows;
  await client.query(`REVOKE ALL ON ${found.database} FROM PUBLIC`);
  await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  await client.query(`REVOKE ALL ON ${[...tables, '_prisma_migrations'].join(', ')} FROM PUBLIC`);
  await client.query(`REVOKE ALL ON FUNCTION ${found.definers} FROM PUBLIC`);
  for (const role of roles) {
    await setLogin(client, role, passwords[role]);
    await leaveOtherRoles(client, role);
    await setRights(client, role, found);
    await setPolicies(client, role);
  }
}

async function setLogin(client: pg.PoolClient, role: Role, password: string): Promise<void> {
  const { rows } = await client.query<{ isPowerful: boolean }>(
    `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS "isPowerful"
     FROM pg_roles WHERE rolname = $1`,
    [role],
  );
  if (!rows[0]) await client.query(`CREATE ROLE ${role}`);
  // Only when needed: an owner who is not a superuser may not even set NOSUPERUSER.
  if (rows[0]?.isPowerful)
    await client.query(`ALTER ROLE ${role} ${power.map((one) => `NO${one}`).join(' ')}`);
  await client.query(`ALTER ROLE ${role} LOGIN NOINHERIT PASSWORD '${scramVerifier(password)}'`);
}

async function leaveOtherRoles(client: pg.PoolClient, role: Role): Promise<void> {
  const { rows } = await client.query<{ other: string; grantor: string }>(
    `SELECT quote_ident(pg_get_userbyid(roleid)) AS other, quote_ident(pg_get_userbyid(grantor)) AS grantor
     FROM pg_auth_members WHERE member = $1::regrole`,
    [role],
  );
  for (const { other, grantor } of rows) {
    await client.query(`REVOKE ${other} FROM ${role} GRANTED BY ${grantor} CASCADE`);
  }
}

async function setRights(
  client: pg.PoolClient,
  role: Role,
  { database, relations, definers }: Things,
): Promise<void> {
  for (const all of [database, 'SCHEMA public', relations, `FUNCTION ${definers}`]) {
    await client.query(`REVOKE ALL ON ${all} FROM ${role}`);
  }
  await client.query(`GRANT CONNECT ON ${database} TO ${role}`);
  await client.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  for (const [table, granted] of Object.entries(rights[role])) {
    await client.query(`GRANT ${granted} ON ${table} TO ${role}`);
  }
  for (const one of functions[role] ?? []) await client.query(`GRANT EXECUTE ON FUNCTION ${one} TO ${role}`);
}

async function setPolicies(client: pg.PoolClient, role: Role): Promise<void> {
  await client.query(`DROP POLICY IF EXISTS ${role}_reads ON transfers`);
  await client.query(`DROP POLICY IF EXISTS ${role}_adds ON transfers`);
  const kinds = transferKinds[role];
  if (!kinds) return;
  const list = kinds.map((kind) => `'${kind}'`).join(', ');
  await client.query(`CREATE POLICY ${role}_reads ON transfers FOR SELECT TO ${role} USING (true)`);
  const allowed = [`kind IN (${list})`, ...(role === 'holdfast_gateway' ? [streamTransfersSql] : [])];
  await client.query(
    `CREATE POLICY ${role}_adds ON transfers FOR INSERT TO ${role} WITH CHECK (${allowed.join(' OR ')})`,
  );
}

/** Two concurrent changes of one catalogue row, or a role created meanwhile. */
function isCollision(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.code === '23505' ||
    error.code === '42710' ||
    /tuple concurrently (updated|deleted)/.test(error.message)
  );
}
