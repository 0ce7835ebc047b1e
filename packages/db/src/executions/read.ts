import type { Execution } from '@holdfast/domain/execution';
import { priorities } from '@holdfast/domain/execution';
import type { Money } from '@holdfast/domain/money';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import { isOkSql } from '../attempts/storedOutcome.ts';
import type { Database } from '../client.ts';
import { checkedSql, runStatement, sameIdSql } from '../statement.ts';

/** All columns of `Execution` but the log, which may be long. */
export function executionColumns(alias: string, output = `${alias}.output`): string {
  return `${shortColumns(alias, output)}, NULL::text AS logs`;
}

function executionColumnsWithLogs(alias: string): string {
  return `${shortColumns(alias, `${alias}.output`)}, ${alias}.logs`;
}

function shortColumns(alias: string, output: string): string {
  const priority = `('{${priorities.join(',')}}'::text[])[${alias}.priority + 1] AS priority`;
  const others = Object.entries(plain).map(([property, column]) => `${alias}.${column} AS "${property}"`);
  return [...others, `${output} AS output`, priority].join(', ');
}

const plain: Record<Exclude<keyof Execution, 'output' | 'priority' | 'logs' | 'partialOutput'>, string> = {
  id: 'id',
  organizationId: 'organization_id',
  model: 'model',
  status: 'status',
  metadata: 'metadata',
  webhookUrl: 'webhook_url',
  holdAmount: 'hold_amount',
  estimatedCost: 'estimated_cost',
  cost: 'cost',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  billed: 'billed',
  latencyMs: 'latency_ms',
  errorCode: 'error_code',
  errorMessage: 'error_message',
  createdAt: 'created_at',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  expiresAt: 'expires_at',
  progress: 'progress',
  queuePosition: 'queue_position',
  erasedAt: 'erased_at',
  onCancel: 'on_cancel',
  finishReason: 'finish_reason',
  batchId: 'batch_id',
  customId: 'custom_id',
  runTimeoutS: 'run_timeout_s',
};

export async function getExecution(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Execution | null> {
  const [execution] = await runStatement<Execution>(db.pool, 'get_execution', getExecutionSql, [
    id,
    organizationId,
  ]);
  return execution ?? null;
}

/** Only a stream can have shown output of an execution that did not complete. */
const partialOutputSql = `CASE WHEN e.on_cancel IS NOT NULL AND e.status IN ('FAILED', 'CANCELLED', 'EXPIRED')
  THEN shown_text(e.id) END AS "partialOutput"`;

const getExecutionSql = `SELECT ${executionColumnsWithLogs('e')}, ${partialOutputSql} FROM executions e
WHERE e.id = $1 AND ${checkedSql('e.organization_id = $2')}`;

/** The inputs of an organization's executions, by their ids. Erased executions have none. */
export async function readInputs(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  type Row = { id: string; input: Record<string, unknown> };
  const rows = await runStatement<Row>(db.pool, 'read_inputs', readInputsSql, [ids, organizationId]);
  return new Map(rows.map(({ id, input }) => [id, input]));
}

/** With its log and input, for who reports it without a caller; null: there is none any more. */
export async function readReported(
  db: Database,
  id: string,
): Promise<(Execution & { input: Record<string, unknown> }) | null> {
  type Row = Execution & { input: Record<string, unknown> };
  const [row] = await runStatement<Row>(db.pool, 'read_reported', reportedExecutionSql, [id]);
  return row ?? null;
}

const reportedExecutionSql = `SELECT ${executionColumnsWithLogs('e')}, e.input FROM executions e WHERE e.id = $1`;

const readInputsSql = `SELECT e.id, e.input FROM unnest($1::text[]) AS i (id)
CROSS JOIN LATERAL (SELECT id, input, organization_id, erased_at FROM executions WHERE ${sameIdSql('i.id')}) e
WHERE ${checkedSql('e.organization_id = $2 AND e.erased_at IS NULL')}`;

export async function organizationOf(db: Database, id: string): Promise<string | null> {
  const [row] = await runStatement<{ organizationId: string }>(
    db.pool,
    'organization_of',
    organizationOfSql,
    [id],
  );
  return row?.organizationId ?? null;
}

const organizationOfSql = 'SELECT organization_id AS "organizationId" FROM executions WHERE id = $1';

export type AttemptRow = {
  id: string;
  number: number;
  provider: string;
  target: string;
  state: string;
  externalId: string | null;
  ok: boolean | null;
  errorCode: string | null;
  errorMessage: string | null;
  rawError: string | null;
  rawLogs: string | null;
  busyRefusals: number;
  busySince: Date | null;
  cost: Money | null;
  providerCost: Money | null;
  estimated: string[] | null;
  createdAt: Date;
  finishedAt: Date | null;
  settledAt: Date | null;
};

type OfOperator = Rerunnable & { apiKeyId: string | null; writtenOff: Money | null };

type Rerunnable = {
  input: Record<string, unknown>;
  rerunOf: string | null;
  /** What a compatible API asked for. */
  webhookDialect: WebhookDialect | null;
  filesForS: number | null;
};

const rerunnableSql = `e.input, e.rerun_of AS "rerunOf", e.webhook_dialect AS "webhookDialect", e.files_for_s AS "filesForS"`;

export async function getAttempts(db: Database, id: string): Promise<AttemptRow[] | null> {
  return (await organizationOf(db, id)) === null ? null : await readAttempts(db, id);
}

export async function getExecutionWithAttempts(
  db: Database,
  id: string,
): Promise<{ execution: Execution & OfOperator; attempts: AttemptRow[] } | null> {
  type Row = Execution & OfOperator;
  const [execution] = await runStatement<Row>(db.pool, 'get_any_execution', oneExecution, [id]);
  if (!execution) return null;
  return { execution, attempts: await readAttempts(db, id) };
}

async function readAttempts(db: Database, id: string): Promise<AttemptRow[]> {
  return await runStatement<AttemptRow>(db.pool, 'list_attempts', listAttemptsSql, [id]);
}

const oneExecution = `SELECT ${executionColumnsWithLogs('e')}, ${partialOutputSql}, e.written_off AS "writtenOff",
  e.api_key_id AS "apiKeyId", ${rerunnableSql}
FROM executions e WHERE e.id = $1`;

/** What a rerun repeats of an organization's executions, in the order of `ids`. */
export async function readOriginals(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Original[]> {
  return await runStatement<Original>(db.pool, 'read_originals', originalsSql, [ids, organizationId]);
}

export type Original = Pick<
  Execution,
  | 'id'
  | 'model'
  | 'metadata'
  | 'webhookUrl'
  | 'priority'
  | 'createdAt'
  | 'expiresAt'
  | 'runTimeoutS'
  | 'erasedAt'
> &
  Rerunnable;

const originalsSql = `SELECT ${shortColumns('e', 'NULL::json')}, ${rerunnableSql}
FROM unnest($1::text[]) WITH ORDINALITY AS i (id, n)
CROSS JOIN LATERAL (SELECT * FROM executions WHERE ${sameIdSql('i.id')}) e
WHERE ${checkedSql('e.organization_id = $2')} ORDER BY i.n`;

export type Rerun = Pick<Execution, 'id' | 'status' | 'createdAt'>;

/** The executions that repeat this one, newest first. */
export async function listReruns(db: Database, id: string, limit: number): Promise<Rerun[]> {
  return await runStatement<Rerun>(db.pool, 'list_reruns', listRerunsSql, [id, limit]);
}

const listRerunsSql = `SELECT id, status, created_at AS "createdAt" FROM executions WHERE rerun_of = $1
ORDER BY id DESC LIMIT $2`;

const listAttemptsSql = `
SELECT id, number, provider, target, state, external_id AS "externalId", CASE WHEN outcome IS NOT NULL THEN ${isOkSql('outcome')} END AS ok,
  outcome ->> 'code' AS "errorCode", outcome ->> 'message' AS "errorMessage", raw_error AS "rawError", raw_logs AS "rawLogs",
  busy_refusals AS "busyRefusals", busy_since AS "busySince",
  outcome ->> 'cost' AS cost, provider_cost AS "providerCost", outcome -> 'billed' -> 'estimated' AS estimated, created_at AS "createdAt", finished_at AS "finishedAt",
  settled_at AS "settledAt"
FROM attempts WHERE execution_id = $1 ORDER BY number`;

export const outputBytesSql = (id: string) =>
  `(SELECT octet_length(e.output::text) FROM executions e WHERE ${sameIdSql(id)})`;

export function quotedList(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ');
}
