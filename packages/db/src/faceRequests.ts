import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

/** A request to a face, as far as a repetition repeats it. `hash`: of the body. */
export type FaceRequest = { apiKeyId: string; route: string; hash: string };

export type KnownRequest = {
  executionId: string;
  hasEnded: boolean;
  /** Seconds between the last response that was delivered and the request that asks; null: none was. */
  deliveredS: number | null;
  /** Seconds between the end of that response's connection and the request; null: it has not closed in time. */
  closedS: number | null;
  /** It is not known yet whether that connection closes in time. */
  mayClose: boolean;
  /** How many requests there were for the execution. */
  tries: number;
  /** Seconds since the last request for it, or since its execution has ended. */
  idleS: number;
};

/** What the last request like this one has created, seen by one that arrived then. */
export async function findFaceRequest(
  db: Database,
  request: FaceRequest,
  arrivedAt: Date,
): Promise<KnownRequest | null> {
  const { apiKeyId, route, hash } = request;
  const [known] = await runStatement<KnownRequest>(db.pool, 'find_face_request', findSql, [
    apiKeyId,
    route,
    hash,
    arrivedAt,
  ]);
  return known ?? null;
}

const findSql = `
SELECT f.execution_id AS "executionId", e.completed_at IS NOT NULL AS "hasEnded",
  extract(epoch FROM $4::timestamptz - f.delivered_at)::float8 AS "deliveredS",
  extract(epoch FROM $4::timestamptz - f.closed_at)::float8 AS "closedS", coalesce(f.closed_at > now(), false) AS "mayClose", f.tries,
  extract(epoch FROM now() - greatest(f.touched_at, e.completed_at))::float8 AS "idleS"
FROM face_requests f CROSS JOIN LATERAL (SELECT completed_at FROM executions WHERE id = f.execution_id OFFSET 0) e
WHERE f.api_key_id = $1 AND f.route = $2 AND f.hash = $3`;

/**
 * Remembers what a request has created or joined. Whatever was delivered before, its client asks again, so it counts as lost
 * until this response arrives. Also removes some rows that are older than a year.
 */
export async function touchFaceRequest(
  db: Database,
  request: FaceRequest,
  executionId: string,
): Promise<void> {
  const { apiKeyId, route, hash } = request;
  await runStatement(db.pool, 'touch_face_request', touchSql, [apiKeyId, route, hash, executionId]);
}

const touchSql = `
WITH old AS (
  DELETE FROM face_requests WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM face_requests WHERE touched_at < now() - interval '400 days' LIMIT 4 FOR UPDATE SKIP LOCKED))
)
INSERT INTO face_requests AS f (api_key_id, route, hash, execution_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (api_key_id, route, hash) DO UPDATE SET execution_id = excluded.execution_id, touched_at = now(),
  delivered_at = NULL, closed_at = NULL, tries = CASE WHEN f.execution_id = excluded.execution_id THEN f.tries + 1 ELSE 1 END`;

/** `closesWithinMs`: if the connection closes in this time, the response counts as lost; null: whatever happens, it arrived. */
export async function markDelivered(
  db: Database,
  request: FaceRequest,
  executionId: string,
  { deliveredAt, closesWithinMs }: { deliveredAt: Date; closesWithinMs: number | null },
): Promise<void> {
  const { apiKeyId, route, hash } = request;
  const values = [apiKeyId, route, hash, executionId, deliveredAt, closesWithinMs];
  await runStatement(db.pool, 'mark_delivered', deliveredSql, values);
}

const deliveredSql = `UPDATE face_requests SET delivered_at = $5, closed_at = now() + $6::int * interval '1 ms'
WHERE api_key_id = $1 AND route = $2 AND hash = $3 AND execution_id = $4`;

/** When the connection of a delivered response closed; null: it has not closed in time. */
export async function markConnection(
  db: Database,
  request: FaceRequest,
  executionId: string,
  closedAt: Date | null,
): Promise<void> {
  const { apiKeyId, route, hash } = request;
  await runStatement(db.pool, 'mark_connection', connectionSql, [
    apiKeyId,
    route,
    hash,
    executionId,
    closedAt,
  ]);
}

const connectionSql = `UPDATE face_requests SET closed_at = $5::timestamptz
WHERE api_key_id = $1 AND route = $2 AND hash = $3 AND execution_id = $4 AND delivered_at IS NOT NULL`;

/** Seconds since an execution has ended; null: it has not. */
export async function findEndedS(db: Database, executionId: string): Promise<number | null> {
  const sql = `SELECT extract(epoch FROM now() - completed_at)::float8 AS "endedS" FROM executions WHERE id = $1`;
  const [found] = await runStatement<{ endedS: number | null }>(db.pool, 'find_ended_s', sql, [executionId]);
  return found?.endedS ?? null;
}
