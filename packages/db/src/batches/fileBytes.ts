import { type Batch, type BatchFileKind, batchOfFile } from '@holdfast/domain/batch';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

type BatchFile = { id: string; kind: BatchFileKind };

/** A file of a batch that has ended. Null: its bytes are not counted yet. */
export type EndedFile = BatchFile & { bytes: number | null };

/** Returns the files whose batches have ended. A file without lines has 0 bytes. */
export async function readFileBytes(
  db: Database,
  organizationId: string,
  files: readonly BatchFile[],
): Promise<EndedFile[]> {
  if (files.length === 0) return [];
  const values = [
    organizationId,
    files.map(({ id }) => id),
    files.map(({ id, kind }) => batchOfFile(id, kind)),
    files.map(({ kind }) => kind),
  ];
  return await runStatement<EndedFile>(db.pool, 'read_batch_file_bytes', readSql, values);
}

const readSql = `SELECT f.id, f.kind, CASE
  WHEN f.kind = 'output' THEN CASE WHEN b.completed = 0 THEN 0 ELSE b.output_bytes END
  WHEN b.failed + b.cancelled + b.expired = 0 THEN 0 ELSE b.error_bytes END::float8 AS bytes
FROM unnest($2::text[], $3::text[], $4::text[]) AS f (id, batch_id, kind) CROSS JOIN LATERAL (
  SELECT * FROM batches WHERE id = f.batch_id OFFSET 0
) b WHERE b.organization_id = $1 AND b.ended_at IS NOT NULL`;

/** Keeps what was counted, unless a retry has opened the batch since it was read. */
export async function keepFileBytes(
  db: Database,
  { id, endedAt }: Pick<Batch, 'id' | 'endedAt'>,
  kind: BatchFileKind,
  bytes: number,
): Promise<void> {
  if (endedAt !== null)
    await runStatement(db.pool, `keep_batch_${kind}_bytes`, keepSql[kind], [id, endedAt, bytes]);
}

const keepSqlOf = (column: string) => `UPDATE batches SET ${column} = $3
WHERE id = $1 AND ended_at = $2 AND ${column} IS DISTINCT FROM $3`;
const keepSql: Record<BatchFileKind, string> = {
  output: keepSqlOf('output_bytes'),
  error: keepSqlOf('error_bytes'),
};
