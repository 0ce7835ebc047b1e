import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import { type AppliedMigration, readAppliedMigrations } from '../migrate/migrate.ts';
import { roleOf, roles } from '../roles/rights.ts';
import { type SealedColumn, sealedColumns } from '../secrets.ts';
import { BackupRefusedError, inLongTransaction, lockTables } from './connection.ts';
import { backupTables, replacedTables } from './tables.ts';

export type Origin = { migrations: AppliedMigration[]; partitions: string[] };

export type Target = {
  load(table: string, columns: string[], rows: Readable): Promise<number>;
  sealedTexts(): AsyncGenerator<{ column: string; id: string; sealed: string }[]>;
  expireFiles(ids: string[]): Promise<void>;
  expireDeliveries(olderThanMs: number): Promise<number>;
};

/**
 * In one transaction. The triggers that write other tables are off, because those are loaded too. @throws BackupRefusedError when
 * the database is not empty, in use, or at other migrations
 */
export async function fillDatabase<Result>(
  databaseUrl: string,
  origin: Origin,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  return await inLongTransaction(databaseUrl, 'BEGIN', async (client) => {
    await refuseInUse(client);
    await lockTables(client, 'ACCESS EXCLUSIVE');
    refuseOthers(origin.migrations, await readAppliedMigrations(client));
    await refuseFull(client);
    await arrangePartitions(client, origin.partitions);
    for (const table of replacedTables) await client.query(`DELETE FROM ${table}`);
    await switchTriggers(client, 'DISABLE');
    const result = await work(targetOf(client));
    await switchTriggers(client, 'ENABLE');
    await client.query(`ANALYZE ${backupTables.join(', ')}`);
    return result;
  });
}

async function switchTriggers(client: ClientBase, to: 'DISABLE' | 'ENABLE'): Promise<void> {
  await client.query(`ALTER TABLE transfers ${to} TRIGGER transfers_post`);
  await client.query(`ALTER TABLE models ${to} TRIGGER keep_model_version`);
  await client.query(`ALTER TABLE executions ${to} TRIGGER executions_open_stream`);
}

const targetOf = (client: ClientBase): Target => ({
  async load(table, columns, rows) {
    if (!backupTables.includes(table)) throw new BackupRefusedError(`there is no table ${table} to load`);
    const list = columns.map((name) => client.escapeIdentifier(name)).join(', ');
    const into = client.query(copyStreams.from(`COPY ${table} (${list}) FROM STDIN`));
    await pipeline(rows, into);
    return into.rowCount;
  },
  async *sealedTexts() {
    for (const column of sealedColumns) yield* sealedOf(client, column);
  },
  async expireFiles(ids) {
    await client.query('UPDATE files SET expires_at = now() WHERE id = ANY ($1::text[])', [ids]);
  },
  async expireDeliveries(olderThanMs) {
    const { rowCount } = await client.query(expire, [olderThanMs]);
    return rowCount ?? 0;
  },
});

const expire = `UPDATE deliveries SET state = 'expired', finished_at = now(), next_attempt_at = NULL, lease_until = NULL
  WHERE state = 'pending' AND created_at < now() - $1::float8 * interval '1 millisecond'`;

function refuseOthers(wanted: AppliedMigration[], found: AppliedMigration[]): void {
  const isSame = ({ name, checksum }: AppliedMigration) =>
    found.some((other) => other.name === name && other.checksum === checksum);
  if (wanted.length === found.length && wanted.every(isSame)) return;
  throw new BackupRefusedError(
    `the backup is of another schema: its last migration is ${wanted.at(-1)?.name}, the database's ` +
      `${found.at(-1)?.name}. Restore with the version of Holdfast that made it, then upgrade.`,
  );
}

async function refuseInUse(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(users, [roles, Object.keys(roleOf)]);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new BackupRefusedError(
    `services are connected to the database: ${names}. Stop them all first (and a pooler that keeps their sessions).`,
  );
}

const users = `SELECT DISTINCT coalesce(nullif(application_name, ''), usename::text) AS name FROM pg_stat_activity
  WHERE datname = current_database() AND (usename = ANY ($1::text[]) OR application_name = ANY ($2::text[])) ORDER BY 1`;

const isKept = (table: string) => replacedTables.every((replaced) => replaced !== table);

async function refuseFull(client: ClientBase): Promise<void> {
  const looks = backupTables
    .filter(isKept)
    .map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table})`);
  const { rows } = await client.query<{ name: string }>(looks.join(' UNION ALL '));
  if (rows.length === 0) return;
  throw new BackupRefusedError(
    `the database is not empty: there are ${rows.map(({ name }) => name).join(', ')}. A restore replaces nothing: give it ` +
      'a new database (CREATE DATABASE; with Docker, a new volume).',
  );
}

async function* sealedOf(client: ClientBase, { table, column }: SealedColumn) {
  const page = `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} <> '' AND id > $1 ORDER BY id LIMIT 500`;
  for (let after = ''; ; ) {
    const { rows } = await client.query<{ id: string; sealed: string }>(page, [after]);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => ({ column: `${table}.${column}`, ...row }));
    after = last.id;
  }
}

/** Also drops months that the source had dropped: the audit infers from months what may be missing. */
export async function arrangePartitions(client: ClientBase, wanted: string[]): Promise<void> {
  const months = wanted.map(monthOf).toSorted();
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined) return;
  await client.query('SELECT make_partitions($1::date, $2::date)', [first, last]);
  const { rows } = await client.query<{ name: string }>(others, [wanted, last]);
  for (const { name } of rows) await client.query(`DROP TABLE ${client.escapeIdentifier(name)}`);
}

const others = `SELECT partition AS name FROM month_partitions() WHERE partition <> ALL ($1::text[]) AND month <= $2::date`;

function monthOf(partition: string): string {
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(partition) ?? [];
  if (!year) throw new BackupRefusedError(`the backup names a partition without a month: ${partition}`);
  return `${year}-${month}-01`;
}
