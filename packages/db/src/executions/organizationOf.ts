import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Whose an execution is; null when there is none of that id. */
export async function organizationOf(db: Database, id: string): Promise<string | null> {
  const [row] = await runStatement<{ organizationId: string }>(db.pool, 'organization_of', statement, [id]);
  return row?.organizationId ?? null;
}

const statement = 'SELECT organization_id AS "organizationId" FROM executions WHERE id = $1';
