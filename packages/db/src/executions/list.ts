import type { Execution } from '@holdfast/domain/execution';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { type Condition, givenConditions } from '../conditions.ts';
import { runStatement } from '../statement.ts';
import { executionColumns } from './row.ts';

export type ExecutionFilter = {
  status?: ExecutionStatus | undefined;
  model?: string | undefined;
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
  const given = givenConditions(conditions, filter, 2);
  const text = `SELECT ${executionColumns('e')} FROM executions e
    WHERE e.organization_id = $1${given.sql} ORDER BY e.created_at DESC, e.id DESC LIMIT $2`;
  const values = [organizationId, limit, ...given.values];
  return await runStatement<Execution>(db.pool, `list_executions_${given.key}`, text, values);
}

const conditions: Condition<ExecutionFilter>[] = [
  { name: 'status', sql: 'e.status = ?' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'createdAfter', sql: 'e.created_at > ?' },
  { name: 'createdBefore', sql: 'e.created_at < ?' },
  {
    name: 'cursor',
    sql: `(e.created_at, e.id) <
      (SELECT c.created_at, c.id FROM executions c WHERE c.id = ? AND c.organization_id = $1)`,
  },
];
