import type { Batch, BatchDefaults, BatchFace } from '@holdfast/domain/batch';
import { batchFileId } from '@holdfast/domain/batch';
import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { checkedSql, runStatement } from '../statement.ts';

export const batchColumnsSql = `id, organization_id AS "organizationId", api_key_id AS "apiKeyId", status, ends_as AS "endsAs", reason,
  model, defaults, metadata, webhook_url AS "webhookUrl", face, input_errors AS "inputErrors", max_cost AS "maxCost",
  on_insufficient_balance AS "onInsufficientBalance", window_s AS "windowS", events, reserve, total, waiting, running,
  completed, failed, cancelled, expired, cost, held, reserved, created_at AS "createdAt", sealed_at AS "sealedAt",
  expires_at AS "expiresAt", ended_at AS "endedAt", erased_at AS "erasedAt"`;

export type NewBatch = {
  id: string;
  organizationId: string;
  apiKeyId: string;
  model: string | null;
  defaults: BatchDefaults | null;
  metadata: Record<string, unknown> | null;
  webhookUrl: string | null;
  maxCost: string | null;
  onInsufficientBalance: Batch['onInsufficientBalance'];
  windowS: number;
  events: Batch['events'];
  reserve: boolean;
  idempotencyKey: string | null;
  requestHash: string | null;
  /** Its items are taken from a file, and it is sealed behind them. */
  face?: BatchFace;
};

/** Writes the batch with the rows of its two files. Null: its idempotency key was used before. */
export async function insertBatch(db: Database, batch: NewBatch): Promise<Batch | null> {
  const [row] = await runStatement<Batch>(db.pool, 'insert_batch', insertSql, [
    batch.id,
    batch.organizationId,
    batch.apiKeyId,
    batch.model,
    batch.defaults && JSON.stringify(batch.defaults),
    batch.metadata && JSON.stringify(batch.metadata),
    batch.webhookUrl,
    batch.maxCost,
    batch.onInsufficientBalance,
    batch.windowS,
    batch.events,
    batch.reserve,
    batch.idempotencyKey,
    batch.requestHash,
    batchFileId(batch.id, 'output'),
    batchFileId(batch.id, 'error'),
    batch.face === undefined ? null : JSON.stringify(batch.face),
  ]);
  return row ?? null;
}

// An open batch that is never sealed expires, so that its month can be dropped.
const insertSql = `
WITH created AS (
  INSERT INTO batches (id, organization_id, api_key_id, model, defaults, metadata, webhook_url, max_cost,
    on_insufficient_balance, window_s, events, reserve, idempotency_key, request_hash, face, intake_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $17::json, CASE WHEN $17::json IS NOT NULL THEN now() END,
    now() + interval '${limits.maxBatchWindowS} seconds')
  ON CONFLICT (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
  RETURNING *
),
file AS (
  INSERT INTO files (id, organization_id, origin, state, filename, content_type, purpose)
  SELECT f.id, c.organization_id, 'output', 'ready', c.id || f.suffix, 'application/x-ndjson', f.purpose
  FROM created c CROSS JOIN (VALUES ($15::text, '_output.jsonl', 'batch_output'), ($16::text, '_errors.jsonl', 'batch_error'))
    AS f (id, suffix, purpose)
)
SELECT ${batchColumnsSql} FROM created`;

/** The batch that this key made. */
export async function findBatchByKey(
  db: Database,
  organizationId: string,
  key: string,
): Promise<(Batch & { requestHash: string }) | null> {
  const [row] = await runStatement<Batch & { requestHash: string }>(db.pool, 'find_batch_by_key', byKeySql, [
    organizationId,
    key,
  ]);
  return row ?? null;
}

const byKeySql = `SELECT ${batchColumnsSql}, request_hash AS "requestHash" FROM batches
WHERE organization_id = $1 AND idempotency_key = $2`;

export async function getBatch(db: Database, organizationId: string, id: string): Promise<Batch | null> {
  const [row] = await runStatement<Batch>(db.pool, 'get_batch', getSql, [id, organizationId]);
  return row ?? null;
}

const getSql = `SELECT ${batchColumnsSql} FROM batches WHERE id = $1 AND ${checkedSql('organization_id = $2')}`;

/** Newest first, those older than the one with this id. */
export async function listBatches(
  db: Database,
  organizationId: string,
  search: {
    statuses: readonly string[] | null;
    /** Limits the list to batches that this key created; null: no limit. */
    apiKeyId: string | null;
    /** The API by which they were created; absent: any. */
    face?: BatchFace['name'];
    cursor: string | null;
    limit: number;
  },
): Promise<Batch[]> {
  const { statuses, apiKeyId, face = null, cursor, limit } = search;
  const values = [organizationId, statuses, cursor, limit, apiKeyId, face];
  return await runStatement<Batch>(db.pool, 'list_batches', listSql, values);
}

const listSql = `SELECT ${batchColumnsSql} FROM batches
WHERE organization_id = $1 AND ($2::text[] IS NULL OR status = ANY ($2)) AND ($3::text IS NULL OR id < $3)
  AND ($5::text IS NULL OR api_key_id = $5) AND ($6::text IS NULL OR face->>'name' = $6)
ORDER BY id DESC LIMIT $4`;
