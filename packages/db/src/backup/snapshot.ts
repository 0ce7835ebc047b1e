import type { Readable } from 'node:stream';
import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import { type AppliedMigration, readAppliedMigrations } from '../migrate/migrate.ts';
import { keyIdSql, sealedColumns } from '../secrets.ts';
import { inLongTransaction, lockTables } from './connection.ts';

/** An object of the store that a row names. `isReady`: its bytes must be there. */
export type NamedObject = { fileId: string; key: string; contentType: string; isReady: boolean };

export type Snapshot = {
  /** By the database's clock. */
  takenAt: Date;
  migrations: AppliedMigration[];
  /** The names of all month partitions. */
  partitions: string[];
  /** The ids of the keys that its secrets are sealed with. */
  keyIds: string[];
  columnsOf(table: string): Promise<string[]>;
  /** All rows as COPY writes them; `count` answers how many they were, once all are read. One table at a time. */
  rowsOf(table: string, columns: string[]): { rows: Readable; count: () => number };
  /** Of files that are not deleted and whose time is not over. */
  namedObjects(): Promise<NamedObject[]>;
};

/**
 * Shows everything as it is at one moment; whoever writes meanwhile is not kept waiting. Months are not dropped until
 * the end. @throws BackupRefusedError when the database is not one of Holdfast
 */
export async function withSnapshot<Result>(
  databaseUrl: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return await inLongTransaction(databaseUrl, begin, async (client) => {
    // Before anything is read, and the snapshot taken by that: a month might go in between.
    await lockTables(client, 'ACCESS SHARE');
    const migrations = await readAppliedMigrations(client);
    const { rows } = await client.query<Pick<Snapshot, 'takenAt' | 'partitions' | 'keyIds'>>(facts);
    const [found] = rows;
    if (!found) throw new Error('the database told nothing of itself');
    return await work({
      ...found,
      migrations,
      columnsOf: (table) => columnsOf(client, table),
      rowsOf: (table, columns) => rowsOf(client, table, columns),
      namedObjects: async () => (await client.query<NamedObject>(objects)).rows,
    });
  });
}

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

const everySecret = sealedColumns.map(({ table, column }) => `SELECT ${column} AS sealed FROM ${table}`);
const facts = `SELECT clock_timestamp() AS "takenAt",
  ARRAY (SELECT partition FROM month_partitions() ORDER BY month, parent) AS partitions,
  ARRAY (SELECT DISTINCT ${keyIdSql('sealed')} FROM (${everySecret.join(' UNION ALL ')}) every
    WHERE sealed <> '' ORDER BY 1) AS "keyIds"`;

const objects = `SELECT id AS "fileId", coalesce(object_key, id) AS key,
  coalesce(content_type, 'application/octet-stream') AS "contentType", state = 'ready' AS "isReady"
  FROM files WHERE state <> 'deleted' AND (expires_at IS NULL OR expires_at > now()) ORDER BY id`;

async function columnsOf(client: ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(columns, [table]);
  return rows.map(({ name }) => name);
}

const columns = `SELECT attname AS name FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

function rowsOf(client: ClientBase, table: string, names: string[]) {
  const list = names.map((name) => client.escapeIdentifier(name)).join(', ');
  const rows = client.query(copyStreams.to(`COPY (SELECT ${list} FROM ${table}) TO STDOUT`));
  return { rows, count: () => rows.rowCount };
}
