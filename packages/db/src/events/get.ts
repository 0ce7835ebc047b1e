import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type EventRow, eventColumnsSql, executionOfSql } from './row.ts';

/** One event; null when the organization has none of that id. */
export async function getEvent(db: Database, organizationId: string, id: string): Promise<EventRow | null> {
  const [row] = await runStatement<EventRow>(db.pool, 'get_event', statement, [id, organizationId]);
  return row ?? null;
}

const statement = `SELECT ${eventColumnsSql} FROM events v ${executionOfSql}
  WHERE v.id = $1 AND v.organization_id = $2`;
