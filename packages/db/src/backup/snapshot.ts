import type { Readable } from 'node:stream';
import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import { type AppliedMigration, readAppliedMigrations } from '../migrate/migrate.ts';
import { keyIdSql, sealedColumns } from '../secrets.ts';
import { inLongTransaction, lockTables } from './connection.ts';

export type NamedObject = { fileId: string; key: string; contentType: string; isReady: boolean };

export type Snapshot = {
  takenAt: Date;
  migrations: AppliedMigration[];
  partitions: string[];
  keyIds: string[];
  columnsOf(table: string): Promise<string[]>;
  /** Rows in COPY format, one table at a time; `count` is valid once all are read. */
  rowsOf(table: string, columns: string[]): { rows: Readable; count: () => number };
  namedObjects(): Promise<NamedObject[]>;
};

/** Reads one moment without blocking writers. @throws BackupRefusedError when it is not a Holdfast database */
export async function withSnapshot<Result>(
  databaseUrl: string,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return await inLongTransaction(databaseUrl, beginSql, async (client) => {
    // Before the first read takes the snapshot: a month could be dropped in between.
    await lockTables(client, 'ACCESS SHARE');
    const migrations = await readAppliedMigrations(client);
    const { rows } = await client.query<Pick<Snapshot, 'takenAt' | 'partitions' | 'keyIds'>>(facts);
    const [found] = rows;
    if (!found) throw new Error('the database returned no snapshot');
    return await work({
      ...found,
      migrations,
      columnsOf: (table) => columnsOf(client, table),
      rowsOf: (table, columns) => rowsOf(client, table, columns),
      namedObjects: async () => (await client.query<NamedObject>(objects)).rows,
    });
  });
}

const beginSql = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

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
