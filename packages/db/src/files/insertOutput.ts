import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type NewOutput = {
  id: string;
  organizationId: string;
  executionId: string;
  filename: string;
  contentType: string;
};

/**
 * A file that an execution has made, before its bytes are stored: bytes without a row would never be found again. It is
 * there for a day unless keepOutputs keeps it: a crash, or a run that fails in the end, leaves nothing for ever. Of an
 * execution that is erased, or is being erased now, it expires at once.
 */
export async function insertOutput(db: Database, output: NewOutput): Promise<void> {
  await runStatement(db.pool, 'insert_output', insert, [
    output.id,
    output.organizationId,
    output.executionId,
    output.filename,
    output.contentType,
  ]);
}

/** The bytes of an output are stored. */
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
WITH erased AS (SELECT erased_at FROM executions WHERE id = $3 FOR SHARE)
INSERT INTO files (id, organization_id, origin, execution_id, state, filename, content_type, expires_at)
VALUES ($1, $2, 'output', $3, 'awaiting_upload', $4, $5,
  coalesce((SELECT least(erased_at, now()) FROM erased WHERE erased_at IS NOT NULL), now() + interval '1 day'))`;

const ready = `UPDATE files SET state = 'ready', size_bytes = $2, width = $3, height = $4, duration_ms = $5 WHERE id = $1`;
