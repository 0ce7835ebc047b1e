import type { Execution } from '@holdfast/domain/execution';
import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { executionColumnsWithLogs } from './row.ts';

/** One execution of an organization; null when there is none of that id. */
export async function getExecution(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Execution | null> {
  const [execution] = await runStatement<Execution>(db.pool, 'get_execution', statement, [
    id,
    organizationId,
  ]);
  return execution ?? null;
}

const statement = `SELECT ${executionColumnsWithLogs('e')} FROM executions e WHERE e.id = $1 AND e.organization_id = $2`;
