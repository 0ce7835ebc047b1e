import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type NewExecution = {
  id: string;
  organizationId: string;
  apiKeyId: string;
  idempotencyKey: string | null;
  /** Null without a key. */
  requestHash: string | null;
  model: string;
  /** JSON texts, written as they are. */
  inputJson: string;
  metadataJson: string | null;
  webhookUrl: string | null;
  holdAmount: Money;
  estimatedCost: Money;
  timeoutS: number;
};

export type InsertResult =
  | { kind: 'created'; createdAt: Date; expiresAt: Date }
  /** The key was used before: by `executionId`, with a body of `requestHash`. */
  | { kind: 'known'; executionId: string; requestHash: string }
  /** Written by another process in the same moment: to be asked again. */
  | { kind: 'raced' }
  /** Not enough `available` for this one after those before it in the batch. */
  | { kind: 'short'; available: Money };

/**
 * Writes idempotency keys, holds, journal, balances and executions of a whole batch in one statement: all of an
 * execution or nothing. The organizations' balance rows are locked in order of id, then read as they are now.
 * No two items of a batch may share organization and key.
 */
export async function insertExecutions(db: Database, batch: NewExecution[]): Promise<InsertResult[]> {
  const column = <Key extends keyof NewExecution>(key: Key) => batch.map((item) => item[key]);
  const rows = await runStatement<InsertRow>(db.pool, 'insert_executions', statement, [
    column('id'),
    column('organizationId'),
    column('apiKeyId'),
    column('idempotencyKey'),
    column('requestHash'),
    column('model'),
    column('inputJson'),
    column('metadataJson'),
    column('webhookUrl'),
    column('holdAmount'),
    column('estimatedCost'),
    column('timeoutS'),
  ]);
  return rows.map(toResult);
}

type InsertRow = {
  created_at: Date | null;
  expires_at: Date | null;
  known_execution_id: string | null;
  known_request_hash: string | null;
  affordable: boolean;
  available: Money | null;
};

function toResult(row: InsertRow): InsertResult {
  if (row.created_at && row.expires_at) {
    return { kind: 'created', createdAt: row.created_at, expiresAt: row.expires_at };
  }
  if (row.known_execution_id && row.known_request_hash) {
    return { kind: 'known', executionId: row.known_execution_id, requestHash: row.known_request_hash };
  }
  return row.affordable ? { kind: 'raced' } : { kind: 'short', available: row.available ?? '0' };
}

// One look-up by index for each key, whatever the planner believes of a table that was empty a minute ago.
const statement = `
WITH incoming AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::json[],
    $8::json[], $9::text[], $10::numeric[], $11::numeric[], $12::int[]) WITH ORDINALITY AS t (id, organization_id,
    api_key_id, idempotency_key, request_hash, model, input, metadata, webhook_url, hold, estimate, timeout_s, n)
),
balance AS (
  SELECT organization_id, available, held, sequence FROM balances
  WHERE organization_id = ANY ($2::text[]) ORDER BY organization_id FOR UPDATE
),
known AS (
  SELECT i.n, k.execution_id, k.request_hash FROM incoming i CROSS JOIN LATERAL (
    SELECT execution_id, request_hash FROM idempotency_keys
    WHERE organization_id = i.organization_id AND key = i.idempotency_key LIMIT 1
  ) k
),
affordable AS (
  SELECT * FROM (
    SELECT i.*, sum(i.hold) OVER (PARTITION BY i.organization_id ORDER BY i.n) <= b.available AS fits
    FROM incoming i JOIN balance b USING (organization_id)
    WHERE NOT EXISTS (SELECT FROM known k WHERE k.n = i.n)
  ) t WHERE fits
),
keyed AS (
  INSERT INTO idempotency_keys (organization_id, key, request_hash, execution_id)
  SELECT organization_id, idempotency_key, request_hash, id FROM affordable WHERE idempotency_key IS NOT NULL
  ON CONFLICT DO NOTHING RETURNING execution_id
),
placed AS (
  SELECT a.*, row_number() OVER w AS position, sum(a.hold) OVER w AS running FROM affordable a
  WHERE a.idempotency_key IS NULL OR EXISTS (SELECT FROM keyed k WHERE k.execution_id = a.id)
  WINDOW w AS (PARTITION BY a.organization_id ORDER BY a.n)
),
created AS (
  INSERT INTO executions (id, organization_id, api_key_id, model, status, input, metadata, webhook_url, hold_amount,
    estimated_cost, expires_at)
  SELECT id, organization_id, api_key_id, model, 'PENDING', input, metadata, webhook_url, hold, estimate,
    now() + timeout_s * interval '1 second' FROM placed
  RETURNING id, created_at, expires_at
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, execution_id)
  SELECT p.organization_id, b.sequence + p.position, 'hold', 'available', 'held', p.hold, b.available - p.running,
    b.held + p.running, p.id FROM placed p JOIN balance b USING (organization_id)
),
moved AS (
  UPDATE balances SET available = balances.available - t.total, held = balances.held + t.total,
    sequence = balances.sequence + t.transfers
  FROM (SELECT organization_id, sum(hold) AS total, count(*) AS transfers FROM placed GROUP BY organization_id) t
  WHERE balances.organization_id = t.organization_id
)
SELECT c.created_at, c.expires_at, k.execution_id AS known_execution_id, k.request_hash AS known_request_hash,
  EXISTS (SELECT FROM affordable a WHERE a.n = i.n) AS affordable,
  CASE WHEN c.id IS NULL THEN (
    SELECT b.available - coalesce((SELECT sum(p.hold) FROM placed p WHERE p.organization_id = i.organization_id), 0)
    FROM balance b WHERE b.organization_id = i.organization_id
  ) END AS available
FROM incoming i LEFT JOIN created c ON c.id = i.id LEFT JOIN known k ON k.n = i.n ORDER BY i.n`;
