import pg from 'pg';
import { inTransaction } from '../transaction.ts';
import { type Role, rights, roles } from './rights.ts';
import { scramVerifier } from './scramVerifier.ts';

/** Roles belong to the whole server: another database's setup may be at them at the same moment. */
const tries = 10;

/**
 * Makes the roles of the services with these passwords (ASCII) and gives each exactly its rights: what it had besides
 * is taken away. After the migrations, as the owner of the tables, who must be allowed to create roles. Can be repeated.
 */
export async function applyRoles(databaseUrl: string, passwords: Record<Role, string>): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'holdfast-roles' });
  try {
    for (let left = tries; ; left -= 1) {
      try {
        await inTransaction({ pool }, (client) => apply(client, passwords));
        return;
      } catch (error) {
        if (left === 1 || !isCollision(error)) throw error;
      }
    }
  } finally {
    await pool.end();
  }
}

async function apply(client: pg.PoolClient, passwords: Record<Role, string>): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  const database = rows[0]?.name;
  await client.query(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
  await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  for (const role of roles) {
    await setLogin(client, role, passwords[role]);
    await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);
    await setRights(client, role);
  }
}

async function setLogin(client: pg.PoolClient, role: Role, password: string): Promise<void> {
  const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (known.rowCount === 0) await client.query(`CREATE ROLE ${role}`);
  await client.query(`ALTER ROLE ${role} LOGIN PASSWORD '${scramVerifier(password)}'`);
}

async function setRights(client: pg.PoolClient, role: Role): Promise<void> {
  await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
  await client.query(`REVOKE ALL ON SCHEMA public FROM ${role}`);
  await client.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  for (const [table, granted] of Object.entries(rights[role])) {
    await client.query(`GRANT ${granted} ON ${table} TO ${role}`);
  }
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
