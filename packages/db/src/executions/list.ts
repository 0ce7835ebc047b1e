import type { Execution } from '@holdfast/domain/execution';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
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
  const given = conditions.filter(({ name }) => filter[name] !== undefined);
  const where = given.map(({ sql }, index) => ` AND ${sql.replace('?', `$${index + 3}`)}`);
  const text = `SELECT ${executionColumns('e')} FROM executions e
    WHERE e.organization_id = $1${where.join('')} ORDER BY e.created_at DESC, e.id DESC LIMIT $2`;
  const name = ['list_executions', ...given.map((condition) => condition.name)].join('_').slice(0, 63);
  return await runStatement<Execution>(db.pool, name, text, [
    organizationId,
    limit,
    ...given.map((condition) => filter[condition.name]),
  ]);
}

const conditions: { name: keyof ExecutionFilter; sql: string }[] = [
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
