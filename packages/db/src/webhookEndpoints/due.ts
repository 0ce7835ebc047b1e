import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Deliveries of an endpoint that are due now, the oldest first: to be hinted at; the sweep finds the rest. */
export async function listDueDeliveries(db: Database, endpointId: string, limit: number): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'due_of_endpoint', statement, [endpointId, limit]);
  return rows.map(({ id }) => id);
}

const statement = `SELECT id FROM deliveries
  WHERE endpoint_id = $1 AND state = 'pending' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $2`;
