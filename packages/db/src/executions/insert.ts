import { defaultPriority, type Priority, priorityRank } from '@holdfast/domain/execution';
import type { CancelPolicy } from '@holdfast/domain/modelDefinition';
import type { Money } from '@holdfast/domain/money';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Database } from '../client.ts';
import { maxLockWaitMs } from '../locks.ts';
import { hasKeySql, runStatement } from '../statement.ts';

export type NewExecution = {
  id: string;
  organizationId: string;
  apiKeyId: string;
  idempotencyKey: string | null;
  requestHash: string | null;
  model: string;
  inputJson: string;
  metadataJson: string | null;
  webhookUrl: string | null;
  holdAmount: Money;
  estimatedCost: Money;
  timeoutS: number;
  /** How long it may wait for its start, after which `timeoutS` counts; undefined: `timeoutS` limits both. */
  startTimeoutS?: number | undefined;
  /** How long its output files are kept; undefined: as long as the execution. */
  filesForS?: number | undefined;
  priority?: Priority;
  traceparent?: string | null;
  /** The execution that this one repeats. */
  rerunOf?: string | null;
  /** The version of the model that prices it; null: the current one at its end. */
  modelVersion?: string | null;
  /** What a cancel costs after output was shown; null: the output is not streamed. */
  onCancel?: CancelPolicy | null;
  /** Null: `webhookUrl` receives the final event as it is. */
  webhookDialect?: WebhookDialect | null;
};

export type InsertResult =
  | { kind: 'created'; createdAt: Date; expiresAt: Date }
  /** The key was used before, by `executionId`. */
  | { kind: 'known'; executionId: string; requestHash: string }
  /** When both (null: no limit) still cover the hold, a concurrent or earlier create was in the way: retry. */
  | { kind: 'refused'; available: Money; spendable: Money | null };

/**
 * Writes each execution with key, hold and journal rows, or none of it. Keys must differ within an organization. @throws a lock
 * timeout (see locks.ts)
 */
export async function insertExecutions(db: Database, batch: NewExecution[]): Promise<InsertResult[]> {
  const column = <Key extends keyof NewExecution>(key: Key) => batch.map((item) => item[key]);
  const rows = await runStatement<InsertRow>(db.pool, 'insert_executions', insertExecutionsSql, [
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
    batch.map(({ priority }) => priorityRank(priority ?? defaultPriority)),
    batch.map(({ traceparent }) => traceparent ?? null),
    batch.map(({ rerunOf }) => rerunOf ?? null),
    batch.map(({ modelVersion }) => modelVersion ?? null),
    batch.map(({ onCancel }) => onCancel ?? null),
    batch.map(({ webhookDialect }) => (webhookDialect ? JSON.stringify(webhookDialect) : null)),
    batch.map(({ startTimeoutS }) => startTimeoutS ?? null),
    batch.map(({ filesForS }) => filesForS ?? null),
    [...new Set(batch.flatMap(({ organizationId, apiKeyId }) => [organizationId, apiKeyId]))],
  ]);
  return rows.map(toResult);
}

type InsertRow = {
  created_at: Date | null;
  expires_at: Date | null;
  known_execution_id: string | null;
  known_request_hash: string | null;
  available: Money | null;
  spendable: Money | null;
};

function toResult(row: InsertRow): InsertResult {
  if (row.created_at && row.expires_at) {
    return { kind: 'created', createdAt: row.created_at, expiresAt: row.expires_at };
  }
  if (row.known_execution_id && row.known_request_hash) {
    return { kind: 'known', executionId: row.known_execution_id, requestHash: row.known_request_hash };
  }
  return { kind: 'refused', available: row.available ?? '0', spendable: row.spendable };
}

/** A statement that waited over the end of a month counts for its own month. */
export const thisMonthSql = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

// One index look-up per key, whatever the planner estimates. `transfers_post` updates balances.
const insertExecutionsSql = `
WITH incoming AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::json[],
    $8::json[], $9::text[], $10::numeric[], $11::numeric[], $12::int[], $13::smallint[], $14::text[], $15::text[], $16::uuid[], $17::text[], $18::json[], $19::int[], $20::int[]) WITH ORDINALITY AS t (id,
    organization_id, api_key_id, idempotency_key, request_hash, model, input, metadata, webhook_url, hold, estimate,
    timeout_s, priority, traceparent, rerun_of, model_version, on_cancel, webhook_dialect, start_timeout_s, files_for_s, n)
),
balance AS (
  SELECT organization_id, available, held, sequence FROM locked_balances($21::text[], ${maxLockWaitMs})
),
spend AS (
  SELECT scope_id, amount, CASE WHEN month = ${thisMonthSql} THEN spent ELSE 0 END AS spent FROM spend_limits
  WHERE scope_id = ANY ($21::text[]) AND (SELECT count(*) FROM balance) > 0 AND month <= ${thisMonthSql}
  ORDER BY scope_id FOR UPDATE
),
known AS (
  SELECT i.n, k.execution_id, k.request_hash FROM incoming i CROSS JOIN LATERAL (
    SELECT execution_id, request_hash FROM idempotency_keys
    WHERE organization_id = i.organization_id AND key = i.idempotency_key LIMIT 1
  ) k
),
asked AS (
  SELECT i.*, b.available, b.available - sum(i.hold) OVER o AS left_available,
    o.amount - o.spent - sum(i.hold) OVER o AS left_of_organization,
    k.amount - k.spent - sum(i.hold) OVER (PARTITION BY i.api_key_id ORDER BY i.n) AS left_of_key
  FROM incoming i JOIN balance b USING (organization_id) LEFT JOIN spend o ON o.scope_id = i.organization_id
    LEFT JOIN spend k ON k.scope_id = i.api_key_id
  WHERE NOT EXISTS (SELECT FROM known WHERE known.n = i.n)
  WINDOW o AS (PARTITION BY i.organization_id ORDER BY i.n)
),
affordable AS (
  SELECT * FROM asked WHERE left_available >= 0 AND coalesce(left_of_organization, 0) >= 0 AND coalesce(left_of_key, 0) >= 0
),
keyed AS (
  INSERT INTO idempotency_keys (organization_id, key, request_hash, execution_id)
  SELECT organization_id, idempotency_key, request_hash, id FROM affordable WHERE idempotency_key IS NOT NULL
  ON CONFLICT DO NOTHING RETURNING execution_id
),
placed AS (
  SELECT a.*, row_number() OVER w AS position, sum(a.hold) OVER w AS running FROM affordable a
  WHERE a.idempotency_key IS NULL OR a.id IN (SELECT execution_id FROM keyed)
  WINDOW w AS (PARTITION BY a.organization_id ORDER BY a.n)
),
created AS (
  INSERT INTO executions (id, organization_id, api_key_id, model, status, input, metadata, webhook_url, hold_amount,
    estimated_cost, expires_at, priority, traceparent, rerun_of, model_version, on_cancel,
    webhook_dialect, run_timeout_s, files_for_s)
  SELECT id, organization_id, api_key_id, model, 'PENDING', input, metadata, webhook_url, hold, estimate,
    now() + coalesce(start_timeout_s, timeout_s) * interval '1 second', priority, traceparent, rerun_of, model_version, on_cancel,
    webhook_dialect, CASE WHEN start_timeout_s IS NOT NULL THEN timeout_s END, files_for_s
  FROM placed
  RETURNING id, created_at, expires_at
),
journal AS (
  INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount, available_after,
    held_after, execution_id)
  SELECT p.organization_id, b.sequence + p.position, 'hold', 'available', 'held', p.hold, b.available - p.running,
    b.held + p.running, p.id FROM placed p JOIN balance b USING (organization_id)
),
spending AS (
  UPDATE spend_limits l SET month = ${thisMonthSql}, spent = s.spent + t.total FROM spend s JOIN (
    SELECT scope_id, sum(hold) AS total FROM placed
    CROSS JOIN LATERAL (VALUES (organization_id), (api_key_id)) v (scope_id)
    WHERE EXISTS (SELECT FROM spend) GROUP BY scope_id
  ) t USING (scope_id)
  WHERE ${hasKeySql('l.scope_id', 's.scope_id')}
)
SELECT c.created_at, c.expires_at, k.execution_id AS known_execution_id, k.request_hash AS known_request_hash,
  CASE WHEN c.id IS NULL AND k.n IS NULL THEN (
    SELECT b.available - (SELECT coalesce(sum(hold), 0) FROM placed WHERE organization_id = b.organization_id)
    FROM balance b WHERE b.organization_id = i.organization_id
  ) END AS available,
  CASE WHEN c.id IS NULL AND k.n IS NULL THEN (
    SELECT min(s.amount - s.spent - (
      SELECT coalesce(sum(hold), 0) FROM placed WHERE s.scope_id IN (organization_id, api_key_id)))
    FROM spend s WHERE s.scope_id IN (i.organization_id, i.api_key_id)
  ) END AS spendable
FROM incoming i LEFT JOIN created c ON c.id = i.id LEFT JOIN known k ON k.n = i.n ORDER BY i.n`;

export type KnownKey = { executionId: string; requestHash: string };

export async function findByIdempotencyKey(
  db: Database,
  organizationId: string,
  key: string,
): Promise<KnownKey | null> {
  const [known] = await runStatement<KnownKey>(db.pool, 'find_idempotency_key', findByIdempotencyKeySql, [
    organizationId,
    key,
  ]);
  return known ?? null;
}

const findByIdempotencyKeySql = `SELECT execution_id AS "executionId", request_hash AS "requestHash" FROM idempotency_keys
WHERE organization_id = $1 AND key = $2`;
