import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { maySendSql } from './endpointConditions.ts';
import { owedLanesSql } from './owedLanes.ts';

export type DueLane = { lane: string; organizationId: string };

/**
 * The lanes in which a delivery is due that nobody holds and that may be sent now: none of an inactive endpoint, nor of a
 * failing one before its `probe_at`. What is new is left for `graceS` to whoever wrote it.
 */
export async function listDueLanes(db: Database, graceS: number): Promise<DueLane[]> {
  return await runStatement<DueLane>(db.pool, 'due_lanes', statement, [graceS]);
}

const statement = `
WITH ${owedLanesSql}
SELECT owed.lane, due.organization_id AS "organizationId"
FROM owed LEFT JOIN webhook_endpoints w ON w.id = owed.lane CROSS JOIN LATERAL (
  SELECT organization_id FROM deliveries
  WHERE lane = owed.lane AND state = 'pending' AND next_attempt_at <= now()
    AND (lease_until IS NULL OR lease_until <= now())
    AND (attempts > 0 OR created_at <= now() - $1::float8 * interval '1 second')
  ORDER BY next_attempt_at LIMIT 1
) due
WHERE w.id IS NULL OR (${maySendSql('w')})`;
