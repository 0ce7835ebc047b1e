import type { Execution } from '@holdfast/domain/execution';
import type { Money } from '@holdfast/domain/money';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { organizationOf } from './organizationOf.ts';
import { executionColumnsWithLogs } from './row.ts';

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
  cost: Money | null;
  createdAt: Date;
  finishedAt: Date | null;
  settledAt: Date | null;
};

/** The attempts of an execution of any organization, in order; null when there is no such execution. */
export async function getAttempts(db: Database, id: string): Promise<AttemptRow[] | null> {
  return (await organizationOf(db, id)) === null ? null : await readAttempts(db, id);
}

/** An execution of any organization with its attempts in order, for the operator; null when there is none. */
export async function getExecutionWithAttempts(
  db: Database,
  id: string,
): Promise<{ execution: Execution; attempts: AttemptRow[] } | null> {
  const [execution] = await runStatement<Execution>(db.pool, 'get_any_execution', oneExecution, [id]);
  if (!execution) return null;
  return { execution, attempts: await readAttempts(db, id) };
}

async function readAttempts(db: Database, id: string): Promise<AttemptRow[]> {
  return await runStatement<AttemptRow>(db.pool, 'list_attempts', itsAttempts, [id]);
}

const oneExecution = `SELECT ${executionColumnsWithLogs('e')} FROM executions e WHERE e.id = $1`;

const itsAttempts = `
SELECT id, number, provider, target, state, external_id AS "externalId", (outcome ->> 'ok')::boolean AS ok,
  outcome ->> 'code' AS "errorCode", outcome ->> 'message' AS "errorMessage", raw_error AS "rawError",
  outcome ->> 'cost' AS cost, created_at AS "createdAt", finished_at AS "finishedAt",
  settled_at AS "settledAt"
FROM attempts WHERE execution_id = $1 ORDER BY number`;
