import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { type Condition, givenConditions } from '../conditions.ts';
import { firstIdSince } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import type { ExecutionFilter } from './list.ts';
import { executionColumns } from './row.ts';

/** The executions of all organizations made after a time, by their ids, newest first: for the operator. */
export async function listAnyExecutions(
  db: Database,
  filter: Omit<ExecutionFilter, 'createdAfter'> & { createdAfter: Date },
  limit: number,
): Promise<Execution[]> {
  const given = givenConditions(conditions, filter, 3);
  // The months before are left aside, for few may be of the status or model that is looked for.
  const first = firstIdSince('exec', filter.createdAfter.getTime());
  const text = `SELECT ${executionColumns('e')} FROM executions e
    WHERE e.id >= $1 AND e.created_at > $2${given.sql} ORDER BY e.id DESC LIMIT $3`;
  const values = [first, filter.createdAfter, limit, ...given.values];
  return await runStatement<Execution>(db.pool, `list_any_executions_${given.key}`, text, values);
}

const conditions: Condition<Omit<ExecutionFilter, 'createdAfter'>>[] = [
  { name: 'status', sql: 'e.status = ?' },
  { name: 'model', sql: 'e.model = ?' },
  { name: 'createdBefore', sql: 'e.created_at < ?' },
  { name: 'cursor', sql: 'e.id < ?' },
];
