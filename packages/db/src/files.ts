import type { FileMeasures } from '@holdfast/domain/quantities';
import type { Database } from './client.ts';
import { afterSql, type Order } from './pages.ts';
import { checkedSql, runStatement } from './statement.ts';

export type FileRow = {
  id: string;
  key: string;
  origin: 'upload' | 'output';
  executionId: string | null;
  state: 'awaiting_upload' | 'ready';
  filename: string;
  /** Null (as the size) until confirmed, when the upload did not declare it. */
  contentType: string | null;
  sizeBytes: number | null;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  createdAt: Date;
  expiresAt: Date | null;
  purpose: string | null;
};

const fileColumnsSql = `id, COALESCE(object_key, id) AS key, origin, execution_id AS "executionId", state, filename, content_type AS "contentType",
  size_bytes AS "sizeBytes", width, height, duration_ms AS "durationMs", created_at AS "createdAt", expires_at AS "expiresAt", purpose`;

export async function getFiles(db: Database, organizationId: string, ids: string[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  return runStatement<FileRow>(db.pool, 'get_files', getFilesSql, [ids, organizationId]);
}

const unexpiredSql = '(expires_at IS NULL OR expires_at > now())';
const presentSql = `state <> 'deleted' AND ${unexpiredSql}`;
const getFilesSql = `SELECT ${fileColumnsSql} FROM files
  WHERE id = ANY($1::text[]) AND ${checkedSql(`organization_id = $2 AND ${presentSql}`)}`;

/** Keeps an upload that came for a purpose, for this time; null: until it is deleted. */
export async function keepForPurpose(
  db: Database,
  id: string,
  { purpose, ttlDays }: { purpose: string; ttlDays: number | null },
): Promise<void> {
  await runStatement(db.pool, 'keep_for_purpose', keepSql, [id, purpose, ttlDays]);
}

const keepSql = `UPDATE files SET purpose = $2, expires_at = created_at + $3 * interval '1 day' WHERE id = $1`;

/** The files that an organization uploaded for a purpose (null: for any), after the one with this id. */
export async function listFilesForPurpose(
  db: Database,
  organizationId: string,
  page: { purpose: string | null; after: string | null; order: Order; limit: number },
): Promise<FileRow[]> {
  const { purpose, after, order, limit } = page;
  const values = [organizationId, purpose, after, limit];
  return await runStatement<FileRow>(db.pool, `list_files_${order}`, forPurposeSql[order], values);
}

const listForPurposeSql = (order: Order) => `SELECT ${fileColumnsSql} FROM files
  WHERE organization_id = $1 AND purpose IS NOT NULL AND state = 'ready' AND ($2::text IS NULL OR purpose = $2)
    AND ${afterSql('id', 'file', '$3', order)} AND ${unexpiredSql}
  ORDER BY id ${order} LIMIT $4`;
const forPurposeSql = { asc: listForPurposeSql('asc'), desc: listForPurposeSql('desc') };

/** Files that are gone have measures too: what was priced by them still is. */
export async function getFileMeasures(
  db: Database,
  organizationId: string,
  ids: string[],
): Promise<Map<string, FileMeasures>> {
  const rows = await runStatement<FileMeasures & { id: string }>(db.pool, 'get_file_measures', measuresSql, [
    ids,
    organizationId,
  ]);
  return new Map(rows.map(({ id, ...measures }) => [id, measures]));
}

const measuresSql = `SELECT id, width, height, duration_ms AS "durationMs" FROM files
  WHERE id = ANY($1::text[]) AND ${checkedSql('organization_id = $2')}`;

/** The outputs that were not removed. */
export async function listFilesOfExecution(db: Database, executionId: string): Promise<FileRow[]> {
  return runStatement<FileRow>(db.pool, 'files_of_execution', ofExecutionSql, [executionId]);
}

const ofExecutionSql = `SELECT ${fileColumnsSql} FROM files WHERE execution_id = $1
  AND ${presentSql} AND NOT is_partial ORDER BY id LIMIT 100`;

export type NewOutput = {
  id: string;
  key: string;
  organizationId: string;
  executionId: string;
  filename: string;
  contentType: string;
  /** Partial images alone have it: how long their stream is kept after the end of its execution. */
  partialForS?: number | undefined;
};

/**
 * Written before the bytes, which nothing would find without a row. Expires in a day unless `keepOutputs` keeps it; a partial
 * image a day after its stream is gone, which removes it if it is cleared as it should.
 */
export async function insertOutput(db: Database, output: NewOutput): Promise<void> {
  await runStatement(db.pool, 'insert_output', insert, [
    output.id,
    output.organizationId,
    output.executionId,
    output.filename,
    output.contentType,
    output.key,
    output.partialForS ?? null,
  ]);
}

export async function markOutputReady(
  db: Database,
  id: string,
  stored: { sizeBytes: number; width: number | null; height: number | null; durationMs?: number | null },
): Promise<void> {
  await runStatement(db.pool, 'mark_output_ready', ready, [
    id,
    stored.sizeBytes,
    stored.width,
    stored.height,
    stored.durationMs ?? null,
  ]);
}

const insert = `
WITH execution AS (SELECT erased_at, expires_at FROM executions WHERE id = $3 FOR SHARE)
INSERT INTO files (id, organization_id, origin, execution_id, state, filename, content_type, object_key, is_partial, expires_at)
VALUES ($1, $2, 'output', $3, 'awaiting_upload', $4, $5, $6, $7::int IS NOT NULL,
  coalesce((SELECT least(erased_at, now()) FROM execution WHERE erased_at IS NOT NULL), interval '1 day' +
    greatest(now(), (SELECT expires_at + $7 * interval '1 second' FROM execution))))`;

const ready = `UPDATE files SET state = 'ready', size_bytes = $2, width = $3, height = $4, duration_ms = $5 WHERE id = $1`;

export type NewUpload = {
  id: string;
  organizationId: string;
  filename: string;
  contentType: string | null;
  sizeBytes: number | null;
  ttlDays: number | null;
  purpose?: string;
};

export async function insertUpload(db: Database, upload: NewUpload): Promise<FileRow> {
  const { id, organizationId, filename, contentType, sizeBytes, ttlDays, purpose = null } = upload;
  const values = [id, organizationId, filename, contentType, sizeBytes, ttlDays, purpose];
  const [row] = await runStatement<FileRow>(db.pool, 'insert_upload', insertUploadSql, values);
  if (!row) throw new Error('an upload was not stored');
  return row;
}

const insertUploadSql = `INSERT INTO files
    (id, organization_id, origin, state, filename, content_type, size_bytes, expires_at, purpose)
  VALUES ($1, $2, 'upload', 'awaiting_upload', $3, $4, $5, now() + $6 * interval '1 day', $7)
  RETURNING ${fileColumnsSql}`;

export async function isFileReplaceable(db: Database, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'is_file_replaceable', isFileReplaceableSql, [id]);
  return rows.length > 0;
}

const replaceableSql = `state = 'awaiting_upload' AND ${unexpiredSql}`;
const isFileReplaceableSql = `SELECT 1 FROM files WHERE id = $1 AND ${checkedSql(replaceableSql)}`;

/** Keeps outputs as long as their execution, or as its client asked; those erased meanwhile stay expired. */
export async function keepOutputs(db: Database, ids: string[]): Promise<void> {
  if (ids.length > 0) await runStatement(db.pool, 'keep_outputs', keep, [ids]);
}

export async function dropOutputs(db: Database, ids: string[]): Promise<void> {
  if (ids.length > 0) await runStatement(db.pool, 'drop_outputs', drop, [ids]);
}

/** The outputs of an execution that ended otherwise than COMPLETED are removed. */
export async function dropOutputsOfEnded(db: Database, executionId: string): Promise<void> {
  await runStatement(db.pool, 'drop_outputs_of_ended', dropAll, [executionId]);
}

// Not now(): it could undo an erasure that committed first.
const keep = `UPDATE files SET expires_at = now() +
    (SELECT files_for_s FROM executions WHERE id = files.execution_id) * interval '1 second'
  WHERE id = ANY ($1::text[]) AND ${checkedSql(`origin = 'output' AND expires_at > clock_timestamp()`)}`;

// The column rounds to milliseconds: a value rounded up would not have passed yet.
const drop = `UPDATE files SET expires_at = least(expires_at, date_trunc('milliseconds', now()))
  WHERE id = ANY ($1::text[]) AND ${checkedSql(`origin = 'output' AND state <> 'deleted'`)}`;

const dropAll = `UPDATE files SET expires_at = date_trunc('milliseconds', now())
  WHERE execution_id = $1 AND ${checkedSql(`origin = 'output' AND NOT is_partial AND ${presentSql}`)}
    AND (SELECT status IN ('FAILED', 'CANCELLED', 'EXPIRED') FROM executions WHERE id = $1)`;

export type FoundBytes = {
  key: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** In pixels; duration in milliseconds; null: unknown. */
  width: number | null;
  height: number | null;
  durationMs: number | null;
};

export async function markFileReady(db: Database, id: string, found: FoundBytes): Promise<FileRow | null> {
  const { filename, contentType, sizeBytes, key, width, height, durationMs } = found;
  const values = [id, filename, contentType, sizeBytes, key, width, height, durationMs];
  const [row] = await runStatement<FileRow>(db.pool, 'mark_file_ready', markFileReadySql, values);
  return row ?? null;
}

const markFileReadySql = `UPDATE files SET state = 'ready', filename = $2, content_type = $3, size_bytes = $4,
    object_key = $5, width = $6, height = $7, duration_ms = $8
  WHERE id = $1 AND ${checkedSql(replaceableSql)}
  RETURNING ${fileColumnsSql}`;

/** From now on it is gone for everyone. The key of its bytes; null: the organization has no such file. */
export async function expireFile(db: Database, organizationId: string, id: string): Promise<string | null> {
  const values = [id, organizationId];
  const [row] = await runStatement<{ key: string }>(db.pool, 'expire_file', expireFileSql, values);
  return row?.key ?? null;
}

const expireFileSql = `UPDATE files SET expires_at = date_trunc('milliseconds', now())
  WHERE id = $1 AND ${checkedSql(`organization_id = $2 AND ${presentSql}`)}
  RETURNING COALESCE(object_key, id) AS key`;

/** `keys`: every place with bytes, including an upload that came after the check. */
export type RemovableFile = { id: string; keys: string[]; expiresAt: Date };

/**
 * Expired files, the oldest first, those after `last` alone. Unused uploads stay: they may have bytes. The URL of an upload
 * works for an hour, so for two hours bytes may come after the deletion.
 */
export async function listRemovableFiles(
  db: Database,
  limit: number,
  last?: RemovableFile,
): Promise<RemovableFile[]> {
  const after = last ?? { expiresAt: new Date(0), id: '' };
  return runStatement<RemovableFile>(db.pool, 'list_removable_files', list, [
    limit,
    after.expiresAt,
    after.id,
  ]);
}

/** Only after the bytes are removed: a crash in between must not leave them behind. */
export async function markFilesDeleted(db: Database, ids: string[]): Promise<void> {
  await runStatement(db.pool, 'mark_files_deleted', mark, [ids]);
}

const list = `SELECT id, array_remove(ARRAY[id, object_key], NULL) AS keys, expires_at AS "expiresAt" FROM files
  WHERE expires_at <= now() AND state <> 'deleted' AND (expires_at, id) > ($2::timestamptz, $3)
    AND (origin = 'output' OR created_at < now() - interval '2 hours')
  ORDER BY expires_at, id LIMIT $1`;

const mark = `UPDATE files SET state = 'deleted' WHERE id = ANY ($1::text[])`;
