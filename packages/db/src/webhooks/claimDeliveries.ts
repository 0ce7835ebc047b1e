import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';

export type ClaimedDelivery = {
  id: string;
  /** Attempts used of those it has, this one included. */
  attempts: number;
  /** Of the attempt's row; goes on counting when a delivery is sent again on request. */
  number: number;
  endpointId: string | null;
  /** The one request that a failing endpoint gets to show it is well again. */
  isProbe: boolean;
  url: string;
  eventId: string;
  executionId: string;
  body: string;
  /** The endpoint's secret, or the organization's for a `webhook_url`; sealed. */
  secret: string;
  /** The endpoint's custom headers: sealed JSON. */
  headers: string | null;
};

/**
 * Takes those of `ids` that are due, each for `leaseS` and for one caller alone, counts the attempt and opens its
 * row. Of an inactive endpoint nothing is taken; of a failing one (failure_count > 0) one, once its `probe_at` has
 * come, which is moved behind the lease so that one probe is in flight. What is not taken uses up no attempt.
 */
export async function claimDeliveries(
  db: Database,
  ids: string[],
  args: { leaseS: number; maxAttempts: number },
): Promise<ClaimedDelivery[]> {
  const values = [ids, args.leaseS, args.maxAttempts, firstId('dlv', ids), firstId('evt', ids)];
  return await runStatement<ClaimedDelivery>(db.pool, 'claim_deliveries', statement, values);
}

// No lock is waited for: what another holds is taken by that one, or at the next sweep. Deliveries are found by their
// ids and judged then: the index of what waits is full of what has just left it.
const statement = `
WITH asked AS (
  SELECT id, endpoint_id, state, attempts, next_attempt_at, lease_until, expires_at FROM deliveries
  WHERE id = ANY ($1::text[]) AND id >= $4 ORDER BY id FOR UPDATE SKIP LOCKED
),
due AS (
  SELECT d.id, d.endpoint_id, w.url AS endpoint_url, coalesce(w.failure_count, 0) > 0 AS failing
  FROM asked d LEFT JOIN webhook_endpoints w ON w.id = d.endpoint_id
  WHERE d.state = 'pending' AND d.next_attempt_at <= now() AND d.expires_at > now()
    AND d.attempts < $3::int AND (d.lease_until IS NULL OR d.lease_until <= now())
    AND (d.endpoint_id IS NULL OR (w.is_active AND w.deleted_at IS NULL))
),
probed AS (
  SELECT id FROM webhook_endpoints
  WHERE id IN (SELECT endpoint_id FROM due WHERE failing) AND failure_count > 0 AND is_active
    AND (probe_at IS NULL OR probe_at <= now())
  ORDER BY id FOR UPDATE SKIP LOCKED
),
probing AS (
  UPDATE webhook_endpoints w SET probe_at = now() + $2::float8 * interval '1 second'
  FROM probed WHERE w.id = probed.id AND (w.probe_at IS NULL OR w.probe_at <= now())
  RETURNING w.id
),
taken AS (
  SELECT id, endpoint_url, false AS is_probe FROM due WHERE NOT failing
  UNION ALL
  SELECT min(due.id), min(endpoint_url), true FROM due JOIN probing p ON p.id = due.endpoint_id
  WHERE failing GROUP BY due.endpoint_id
),
claimed AS (
  UPDATE deliveries d SET attempts = d.attempts + 1, lease_until = now() + $2::float8 * interval '1 second',
    url = coalesce(t.endpoint_url, d.url)
  FROM taken t WHERE d.id = t.id AND d.id >= $4
  RETURNING d.id, d.event_id, d.organization_id, d.endpoint_id, d.url, d.attempts, t.is_probe
),
numbered AS MATERIALIZED (
  SELECT *, 1 + coalesce((SELECT max(a.number) FROM delivery_attempts a WHERE a.delivery_id = claimed.id), 0) AS number
  FROM claimed
),
attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number) SELECT id, number FROM numbered
)
SELECT c.id, c.attempts, c.number, c.endpoint_id AS "endpointId", c.is_probe AS "isProbe", c.url,
  c.event_id AS "eventId", v.execution_id AS "executionId", v.body, coalesce(w.secret, o.webhook_secret) AS secret,
  w.headers
FROM numbered c JOIN events v ON v.id = c.event_id AND v.id >= $5
JOIN organizations o ON o.id = c.organization_id LEFT JOIN webhook_endpoints w ON w.id = c.endpoint_id`;
