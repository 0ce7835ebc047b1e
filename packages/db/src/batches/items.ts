import type { ItemError, ItemStatus } from '@holdfast/domain/batch';
import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type NewItem = {
  customId: string;
  /** Where it stands in the order of intake. */
  position: bigint;
  /** A UUID of the line's content. */
  hash: string;
  model: string;
  /** Null: it has an error. */
  inputJson: string | null;
  metadataJson: string | null;
  timeoutS: number;
  estimatedCost: Money;
  hold: Money;
  modelVersion: string | null;
  /** It has failed, and never is an execution; null: it waits. */
  error: ItemError | null;
};

/** An item that was there before; `hash` is null when it is not visible yet. */
export type KnownItem = { customId: string; hash: string | null };

export type Intake = { outcome: 'taken'; known: KnownItem[] } | { outcome: 'not open' } | { outcome: 'full' };

/** Adds items to an open batch, all that are new. Their `custom_id`s must differ. */
export async function insertItems(db: Database, batchId: string, items: NewItem[]): Promise<Intake> {
  const column = <Key extends keyof NewItem>(key: Key) => items.map((item) => item[key]);
  type Row = { is_open: boolean; has_room: boolean; known: KnownItem[] };
  const [row] = await runStatement<Row>(db.pool, 'insert_batch_items', insertSql, [
    batchId,
    column('customId'),
    column('position').map(String),
    column('hash'),
    column('model'),
    column('inputJson'),
    column('metadataJson'),
    column('timeoutS'),
    column('estimatedCost'),
    column('hold'),
    column('modelVersion'),
    items.map(({ error }) => error && JSON.stringify(error)),
  ]);
  if (!row?.is_open) return { outcome: 'not open' };
  return row.has_room ? { outcome: 'taken', known: row.known } : { outcome: 'full' };
}

/** Selects the items of the batch $1 whose `custom_id`s are in `rows`. A join, planned for an empty table, would read the batch for each of them. */
export const itemsOfSql = (rows: string): string =>
  `i.batch_id = $1 AND i.custom_id = ANY (ARRAY (SELECT custom_id FROM ${rows}))`;

// The lock of the batch keeps a seal away until the items are committed. A failed item gets its number at once.
const insertSql = `
WITH incoming AS (
  SELECT * FROM unnest($2::text[], $3::bigint[], $4::uuid[], $5::text[], $6::json[], $7::json[], $8::int[], $9::numeric[],
    $10::numeric[], $11::uuid[], $12::json[])
    AS t (custom_id, position, hash, model, input, metadata, timeout_s, estimated_cost, hold, model_version, error)
),
batch AS MATERIALIZED (SELECT id, status, total, ended FROM batches WHERE id = $1 FOR UPDATE),
room AS MATERIALIZED (
  SELECT id, ended FROM batch WHERE status = 'open' AND total + (
    SELECT count(*) FROM incoming i
    WHERE NOT EXISTS (SELECT FROM batch_items k WHERE k.batch_id = $1 AND k.custom_id = i.custom_id OFFSET 0)
  ) <= ${limits.batchItems}
),
added AS (
  INSERT INTO batch_items (batch_id, custom_id, position, hash, model, input, metadata, timeout_s, estimated_cost, hold, model_version,
    error, status, number)
  SELECT r.id, i.*, CASE WHEN i.error IS NULL THEN 'waiting' ELSE 'failed' END,
    CASE WHEN i.error IS NOT NULL THEN r.ended + count(i.error) OVER (ORDER BY i.position) END
  FROM room r CROSS JOIN incoming i
  ON CONFLICT DO NOTHING RETURNING custom_id, number
),
counted AS (
  UPDATE batches SET total = total + n, waiting = waiting + n - bad, failed = failed + bad, ended = greatest(ended, last)
  FROM (SELECT count(*)::int AS n, count(number)::int AS bad, max(number) AS last FROM added) a WHERE id = $1 AND n > 0
)
SELECT coalesce((SELECT status = 'open' FROM batch), false) AS is_open, EXISTS (SELECT FROM room) AS has_room, (
  SELECT coalesce(json_agg(json_build_object('customId', i.custom_id, 'hash', (
    SELECT k.hash FROM batch_items k WHERE k.batch_id = $1 AND k.custom_id = i.custom_id))), '[]')
  FROM incoming i WHERE i.custom_id NOT IN (SELECT custom_id FROM added)
) AS known`;

export type BatchItem = {
  customId: string;
  status: ItemStatus;
  model: string;
  executionId: string | null;
  estimatedCost: Money;
  hold: Money;
  cost: Money | null;
  errorCode: ExecutionErrorCode | null;
  errorMessage: string | null;
  error: ItemError | null;
};

/** In order of `custom_id`; with a status, of intake or of the ends. `after`: the `custom_id` of the last one before. */
export async function listItems(
  db: Database,
  batchId: string,
  { status, after, limit }: { status: ItemStatus | null; after: string | null; limit: number },
): Promise<BatchItem[]> {
  const name = `list_batch_items_${status ?? 'all'}${after === null ? '' : '_after'}`;
  const values = [batchId, limit, ...(after === null ? [] : [after])];
  return await runStatement<BatchItem>(db.pool, name, listSql(status, after !== null), values);
}

function listSql(status: ItemStatus | null, isAfter: boolean): string {
  const isOpen = status === 'waiting' || status === 'running';
  const key = status === null ? 'custom_id' : isOpen ? 'position, custom_id' : 'number';
  const where = status === null ? '' : ` AND status = '${status}'${isOpen ? ' AND number IS NULL' : ''}`;
  const last = `(SELECT ${key} FROM batch_items WHERE batch_id = $1 AND custom_id = $3)`;
  return `SELECT i.custom_id AS "customId", i.status, i.model, i.execution_id AS "executionId",
  i.estimated_cost AS "estimatedCost", i.hold, i.error, e.cost, e.error_code AS "errorCode", e.error_message AS "errorMessage"
FROM (
  SELECT * FROM batch_items WHERE batch_id = $1${where}${isAfter ? ` AND (${key}) > ${last}` : ''} ORDER BY ${key} LIMIT $2
) i LEFT JOIN LATERAL (
  SELECT cost, error_code, error_message FROM executions WHERE id = i.execution_id OFFSET 0
) e ON true ORDER BY ${key}`;
}
