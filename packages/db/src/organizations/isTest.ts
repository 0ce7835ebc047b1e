import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Whether an organization is one for tests, which it is for good. */
export async function isTestOrganization(db: Database, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'is_test_organization', statement, [id]);
  return rows.length > 0;
}

const statement = `SELECT id FROM organizations WHERE id = $1 AND test_of IS NOT NULL`;
