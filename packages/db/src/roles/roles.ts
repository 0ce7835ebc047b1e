import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { retry } from '@holdfast/kit/retry';
import pg from 'pg';
import { inTransaction } from '../statement.ts';
import { functions, type Role, rights, roles, tables, transferKinds } from './rights.ts';

const iterations = 4096;

/**
 * What PostgreSQL stores of a password (RFC 5803), made here so that the password itself never reaches the server or its
 * log. For ASCII passwords, which need no preparation.
 */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** Any number; several setups of one database go one by one. Not that of the migrations or of the whole setup. */
const lock = 4_652_115_922;

/** Roles belong to the whole server: another database's setup, which that lock doesn't stop, may be at them too. */
const maxRetries = 9;

const power = ['SUPERUSER', 'CREATEDB', 'CREATEROLE', 'REPLICATION', 'BYPASSRLS'];

/**
 * Makes the roles of the services with these passwords (ASCII) and gives each exactly its rights: what it had besides
 * is taken away. After the migrations, as the owner of the tables, who must be allowed to create roles. Can be repeated.
 * Everybody else needs CONNECT on the database granted by name from then on.
 */
export async function applyRoles(databaseUrl: string, passwords: Record<Role, string>): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'holdfast-roles' });
  // Of a connection that breaks the statement under way tells; without a listener it would end the process.
  pool.on('error', () => {});
  try {
    const work = () => inTransaction({ pool }, (client) => apply(client, passwords));
    await retry(work, { delaysMs: Array<number>(maxRetries).fill(0), isRetryable: isCollision });
  } finally {
    await pool.end();
  }
}

// Somebody else's table is not ours to revoke on: PostgreSQL would refuse all of it.
const things = `
SELECT 'DATABASE ' || quote_ident(current_database()) AS database, (
  SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_has_role(relowner, 'USAGE')
) AS relations, (
  SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND prosecdef AND pg_has_role(proowner, 'USAGE')
) AS definers`;

/** `relations` and `definers`: lists of ours. A definer runs with the rights of its owner. */
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
  // Only when there is something to take: an owner who is no superuser may not even say NOSUPERUSER.
  if (rows[0]?.isPowerful)
    await client.query(`ALTER ROLE ${role} ${power.map((one) => `NO${one}`).join(' ')}`);
  await client.query(`ALTER ROLE ${role} LOGIN NOINHERIT PASSWORD '${scramVerifier(password)}'`);
}

/** What a role may do as a member of others would come on top of its own rights. */
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

/** Row level security on the journal: who may add what. */
async function setPolicies(client: pg.PoolClient, role: Role): Promise<void> {
  await client.query(`DROP POLICY IF EXISTS ${role}_reads ON transfers`);
  await client.query(`DROP POLICY IF EXISTS ${role}_adds ON transfers`);
  const kinds = transferKinds[role];
  if (!kinds) return;
  const list = kinds.map((kind) => `'${kind}'`).join(', ');
  await client.query(`CREATE POLICY ${role}_reads ON transfers FOR SELECT TO ${role} USING (true)`);
  await client.query(
    `CREATE POLICY ${role}_adds ON transfers FOR INSERT TO ${role} WITH CHECK (kind IN (${list}))`,
  );
}

/** Two that change one catalogue row at once: "tuple concurrently updated", or a role that is there already. */
function isCollision(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.code === '23505' ||
    error.code === '42710' ||
    /tuple concurrently (updated|deleted)/.test(error.message)
  );
}
