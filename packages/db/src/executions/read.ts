import type { Execution } from '@holdfast/domain/execution';
import type { Money } from '@holdfast/domain/money';
import { priorities } from '@holdfast/domain/priority';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { firstIdSince } from '../firstId.ts';
import { type Condition, givenConditions, runStatement } from '../statement.ts';

/** The columns of an execution as `Execution` names them, but for its log; `alias` is the table's in the statement. */
export function executionColumns(alias: string): string {
  return `${shortColumns(alias)}, NULL::text AS logs`;
}

/** With its log: for one alone, for it is long. */
function executionColumnsWithLogs(alias: string): string {
  return `${shortColumns(alias)}, ${alias}.logs`;
}

function shortColumns(alias: string): string {
  const priority = `('{${priorities.join(',')}}'::text[])[${alias}.priority + 1] AS priority`;
  const others = Object.entries(plain).map(([property, column]) => `${alias}.${column} AS "${property}"`);
  return [...others, priority].join(', ');
}

const plain: Record<Exclude<keyof Execution, 'priority' | 'logs'>, string> = {
  id: 'id',
  organizationId: 'organization_id',
  model: 'model',
  status: 'status',
  metadata: 'metadata',
  webhookUrl: 'webhook_url',
  holdAmount: 'hold_amount',
  estimatedCost: 'estimated_cost',
  cost: 'cost',
  output: 'output',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
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
};

/** One execution of an organization; null when there is none of that id. */
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

const getExecutionSql = `SELECT ${executionColumnsWithLogs('e')} FROM executions e WHERE e.id = $1 AND e.organization_id = $2`;

/** Whose an execution is; null when there is none of that id. */
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
  /** The connection, and the provider's name of the model there. */
  provider: string;
  target: string;
  state: string;
  externalId: string | null;
  /** Null until it has ended. */
  ok: boolean | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** What the provider said, before it was mapped. */
  rawError: string | null;
  /** The end of its log, where clients don't read it. */
  rawLogs: string | null;
  /** How often it was put off because a provider was busy, and when it first was. */
  busyRefusals: number;
  busySince: Date | null;
  cost: Money | null;
  createdAt: Date;
  finishedAt: Date | null;
  settledAt: Date | null;
};

/** What it cost beyond what was charged; null: nothing. */
type WrittenOff = { writtenOff: Money | null };

/** The attempts of an execution of any organization, in order; null when there is no such execution. */
export async function getAttempts(db: Database, id: string): Promise<AttemptRow[] | null> {
  return (await organizationOf(db, id)) === null ? null : await readAttempts(db, id);
}

/** An execution of any organization with its attempts in order, for the operator; null when there is none. */
export async function getExecutionWithAttempts(
  db: Database,
  id: string,
): Promise<{ execution: Execution & WrittenOff; attempts: AttemptRow[] } | null> {
  type Row = Execution & WrittenOff;
  const [execution] = await runStatement<Row>(db.pool, 'get_any_execution', oneExecution, [id]);
  if (!execution) return null;
  return { execution, attempts: await readAttempts(db, id) };
}

async function readAttempts(db: Database, id: string): Promise<AttemptRow[]> {
  return await runStatement<AttemptRow>(db.pool, 'list_attempts', itsAttempts, [id]);
}

const oneExecution = `SELECT ${executionColumnsWithLogs('e')}, e.written_off AS "writtenOff" FROM executions e WHERE e.id = $1`;

const itsAttempts = `
SELECT id, number, provider, target, state, external_id AS "externalId", (outcome ->> 'ok')::boolean AS ok,
  outcome ->> 'code' AS "errorCode", outcome ->> 'message' AS "errorMessage", raw_error AS "rawError", raw_logs AS "rawLogs",
  busy_refusals AS "busyRefusals", busy_since AS "busySince",
  outcome ->> 'cost' AS cost, created_at AS "createdAt", finished_at AS "finishedAt",
  settled_at AS "settledAt"
FROM attempts WHERE execution_id = $1 ORDER BY number`;

type ExecutionFilter = {
  status?: ExecutionStatus | undefined;
  model?: string | undefined;
  /** Of these models alone. */
  models?: readonly string[] | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  /** The id of an execution: only those listed after it. */
  cursor?: string | undefined;
};

/** The executions of an organization, newest first. */
export async function listExecutions(
  db: Database,
  organizationId: string,
  filter: ExecutionFilter,
  limit: number,
): Promise<Execution[]> {
  const given = givenConditions(listConditions, filter, 2);
  const text = `SELECT ${executionColumns('e')} FROM executions e
    WHERE e.organization_id = $1${given.sql} ORDER BY e.created_at DESC, e.id DESC LIMIT $2`;
  const values = [organizationId, limit, ...given.values];
  return await runStatement<Execution>(db.pool, `list_executions_${given.key}`, text, values);
}

const listConditions: Condition<ExecutionFilter>[] = [
  { name: 'status', sql: 'e.status = ?' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'models', sql: 'e.model = ANY (?::text[])' },
  { name: 'createdAfter', sql: 'e.created_at > ?' },
  { name: 'createdBefore', sql: 'e.created_at < ?' },
  {
    name: 'cursor',
    sql: `(e.created_at, e.id) <
      (SELECT c.created_at, c.id FROM executions c WHERE c.id = ? AND c.organization_id = $1)`,
  },
];

/** The executions of all organizations made after a time, by their ids, newest first: for the operator. */
export async function listAnyExecutions(
  db: Database,
  filter: Omit<ExecutionFilter, 'createdAfter'> & { createdAfter: Date },
  limit: number,
): Promise<Execution[]> {
  const given = givenConditions(listAnyConditions, filter, 3);
  // The months before are left aside, for few may be of the status or model that is looked for.
  const first = firstIdSince('exec', filter.createdAfter.getTime());
  const text = `SELECT ${executionColumns('e')} FROM executions e
    WHERE e.id >= $1 AND e.created_at > $2${given.sql} ORDER BY e.id DESC LIMIT $3`;
  const values = [first, filter.createdAfter, limit, ...given.values];
  return await runStatement<Execution>(db.pool, `list_any_executions_${given.key}`, text, values);
}

const listAnyConditions: Condition<Omit<ExecutionFilter, 'createdAfter'>>[] = [
  { name: 'status', sql: 'e.status = ?' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'createdBefore', sql: 'e.created_at < ?' },
  { name: 'cursor', sql: 'e.id < ?' },
];

/** Statuses as an SQL list, from the transition table alone. */
export function quotedList(statuses: readonly ExecutionStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
