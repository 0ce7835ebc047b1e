import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { executionColumnsWithLogs } from './row.ts';

export type AttemptRow = {
  id: string;
  number: number;
  provider: string;
  state: string;
  externalId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  settledAt: Date | null;
};

/** An execution of any organization with its attempts in order, for the operator; null when there is none. */
export async function getExecutionWithAttempts(
  db: Database,
  id: string,
): Promise<{ execution: Execution; attempts: AttemptRow[] } | null> {
  const [execution] = await runStatement<Execution>(db.pool, 'get_any_execution', oneExecution, [id]);
  if (!execution) return null;
  return {
    execution,
    attempts: await runStatement<AttemptRow>(db.pool, 'list_attempts', itsAttempts, [id]),
  };
}

const oneExecution = `SELECT ${executionColumnsWithLogs('e')} FROM executions e WHERE e.id = $1`;

const itsAttempts = `
SELECT id, number, provider, state, external_id AS "externalId", outcome ->> 'code' AS "errorCode",
  outcome ->> 'message' AS "errorMessage", created_at AS "createdAt", finished_at AS "finishedAt",
  settled_at AS "settledAt"
FROM attempts WHERE execution_id = $1 ORDER BY number`;
