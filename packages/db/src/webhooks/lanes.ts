import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type SigningSecrets, signingSecretsSql } from './secrets.ts';

export type ClaimedDelivery = SigningSecrets & {
  id: string;
  lane: string;
  organizationId: string;
  attempts: number;
  number: number;
  endpointId: string | null;
  /** The single request that tests a failing endpoint. */
  isProbe: boolean;
  url: string;
  eventId: string;
  eventType: string;
  eventCreatedAt: Date;
  executionId: string | null;
  traceparent: string | null;
  isThin: boolean;
  body: string;
  headers: string | null;
};

/** Lanes with pending deliveries, by skipping through the index: a full lane costs one look-up. */
export const lanesWithDeliveriesSql = `RECURSIVE owed AS (
  (SELECT lane FROM deliveries WHERE state = 'pending' ORDER BY lane LIMIT 1)
  UNION ALL
  SELECT (SELECT d.lane FROM deliveries d WHERE d.state = 'pending' AND d.lane > o.lane ORDER BY d.lane LIMIT 1)
  FROM owed o WHERE o.lane IS NOT NULL
)`;

export type DueLane = { lane: string; organizationId: string };

/** Lanes with a due, unclaimed delivery that may be sent now; new ones are left to their writer for `graceS`. */
export async function listDueLanes(db: Database, graceS: number): Promise<DueLane[]> {
  return await runStatement<DueLane>(db.pool, 'due_lanes', listDueLanesSql, [graceS]);
}

const listDueLanesSql = `
WITH ${lanesWithDeliveriesSql}
SELECT owed.lane, due.organization_id AS "organizationId"
FROM owed LEFT JOIN webhook_endpoints w ON w.id = owed.lane CROSS JOIN LATERAL (
  SELECT organization_id FROM deliveries
  WHERE lane = owed.lane AND state = 'pending' AND next_attempt_at <= now()
    AND (lease_until IS NULL OR lease_until <= now())
    AND (attempts > 0 OR created_at <= now() - $1::float8 * interval '1 second')
  ORDER BY next_attempt_at LIMIT 1
) due
WHERE w.id IS NULL OR (${maySendSql('w')})`;

export type LaneRoom = { lane: string; room: number };

export type LaneClaim = {
  claimed: ClaimedDelivery[];
  ended: { id: string; state: 'failed' | 'expired' }[];
  maxInFlight: number | null;
  /** When a paced lane may be claimed again. */
  waitMs: number | null;
};

type Row = ClaimedDelivery & {
  state: 'pending' | 'failed' | 'expired';
  maxInFlight: number | null;
  waitMs: number | null;
};

/**
 * Claims due deliveries of each lane, the longest due first, for `leaseS`; counts the attempt and opens its row.
 * Overdue ones end. A failing endpoint gives one probe once `probe_at` has passed; one with `max_per_second` a tenth of
 * a second's worth, then pauses as long.
 */
export async function claimLanes(
  db: Database,
  lanes: LaneRoom[],
  args: { leaseS: number; maxAttempts: number; senders: number },
): Promise<Map<string, LaneClaim>> {
  const rows = await runStatement<Row>(db.pool, 'claim_lanes', claimLanesSql, [
    lanes.map(({ lane }) => lane),
    lanes.map(({ room }) => room),
    args.leaseS,
    args.maxAttempts,
    args.senders,
  ]);
  const byLane = Map.groupBy(rows, ({ lane }) => lane);
  return new Map([...byLane].map(([lane, its]) => [lane, toClaim(its)]));
}

function toClaim(rows: Row[]): LaneClaim {
  return {
    claimed: rows.filter(({ state }) => state === 'pending'),
    ended: rows.flatMap(({ id, state }) => (state === 'pending' ? [] : [{ id, state }])),
    maxInFlight: rows[0]?.maxInFlight ?? null,
    waitMs: rows[0]?.waitMs ?? null,
  };
}

// Never waits for a lock: another claimer or the next sweep takes those rows. Only failing or paced endpoints are
// locked.
const claimLanesSql = `
WITH asked AS (
  SELECT a.lane, a.room, w.url, w.max_in_flight, coalesce(w.failure_count > 0 OR w.max_per_second IS NOT NULL, false)
    AS is_guarded
  FROM unnest($1::text[], $2::int[]) AS a (lane, room) LEFT JOIN webhook_endpoints w ON w.id = a.lane
  WHERE w.id IS NULL OR (w.is_active AND w.deleted_at IS NULL)
),
guarded AS MATERIALIZED (
  SELECT w.id, w.failure_count > 0 AS is_failing, w.max_per_second FROM webhook_endpoints w
  WHERE w.id IN (SELECT lane FROM asked WHERE is_guarded) AND ${maySendSql('w')}
  ORDER BY w.id FOR UPDATE SKIP LOCKED
),
open AS (
  SELECT a.lane, a.url, a.max_in_flight, coalesce(g.is_failing, false) AS is_probe, g.max_per_second,
    CASE WHEN g.is_failing THEN 1 ELSE least(a.room,
      CASE WHEN a.max_in_flight IS NOT NULL THEN greatest(1, a.max_in_flight / $5::int) END,
      CASE WHEN g.max_per_second IS NOT NULL THEN greatest(1, g.max_per_second / 10) END) END AS room
  FROM asked a LEFT JOIN guarded g ON g.id = a.lane WHERE g.id IS NOT NULL OR NOT a.is_guarded
),
picked AS MATERIALIZED (
  SELECT o.*, d.id, d.attempts < $4::int AND d.expires_at > now() AS is_live FROM open o CROSS JOIN LATERAL (
    SELECT id, attempts, expires_at FROM deliveries
    WHERE lane = o.lane AND state = 'pending' AND next_attempt_at <= now()
      AND (lease_until IS NULL OR lease_until <= now())
    ORDER BY next_attempt_at LIMIT o.room FOR UPDATE SKIP LOCKED
  ) d
),
noted AS (
  UPDATE webhook_endpoints w SET
    probe_at = CASE WHEN g.is_failing THEN now() + $3::float8 * interval '1 second' ELSE w.probe_at END,
    paced_until = now() + t.taken * interval '1 second' / g.max_per_second
  FROM guarded g JOIN (SELECT lane, count(*) AS taken FROM picked WHERE is_live GROUP BY lane) t ON t.lane = g.id
  WHERE w.id = g.id
),
moved AS (
  UPDATE deliveries d SET attempts = d.attempts + p.is_live::int, url = coalesce(p.url, d.url),
    lease_until = CASE WHEN p.is_live THEN now() + $3::float8 * interval '1 second' END,
    state = CASE WHEN p.is_live THEN 'pending' WHEN d.attempts >= $4::int THEN 'failed' ELSE 'expired' END,
    next_attempt_at = CASE WHEN p.is_live THEN d.next_attempt_at END,
    finished_at = CASE WHEN NOT p.is_live THEN now() END
  FROM picked p WHERE d.id = p.id
  RETURNING d.id, d.lane, d.event_id, d.organization_id, d.endpoint_id, d.url, d.attempts, d.state, p.is_probe,
    p.max_in_flight, p.max_per_second
),
numbered AS MATERIALIZED (
  SELECT *, 1 + coalesce((SELECT max(a.number) FROM delivery_attempts a WHERE a.delivery_id = moved.id), 0) AS number
  FROM moved
),
attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number) SELECT id, number FROM numbered WHERE state = 'pending'
)
SELECT c.id, c.lane, c.state, c.organization_id AS "organizationId", c.attempts, c.number, c.endpoint_id AS "endpointId",
  c.is_probe AS "isProbe", c.url, c.event_id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt",
  v.execution_id AS "executionId", v.traceparent, v.body, coalesce(w.payload = 'thin', false) AS "isThin", w.headers,
  s.*, c.max_in_flight AS "maxInFlight",
  (1000.0 * count(*) FILTER (WHERE c.state = 'pending') OVER (PARTITION BY c.lane) / c.max_per_second)::float8 AS "waitMs"
FROM numbered c JOIN events v ON v.id = c.event_id JOIN organizations o ON o.id = c.organization_id
LEFT JOIN webhook_endpoints w ON w.id = c.endpoint_id CROSS JOIN LATERAL (
  SELECT ${signingSecretsSql('w', 'secret')} WHERE w.id IS NOT NULL
  UNION ALL
  SELECT ${signingSecretsSql('o', 'webhook_secret')} WHERE w.id IS NULL
) s`;

/** An endpoint that may be sent to now: active, its probe due if it is failing, within its pace. */
function maySendSql(w: string): string {
  return `${w}.is_active AND ${w}.deleted_at IS NULL
    AND (${w}.failure_count = 0 OR ${w}.probe_at IS NULL OR ${w}.probe_at <= now())
    AND (${w}.max_per_second IS NULL OR ${w}.paced_until IS NULL OR ${w}.paced_until <= now())`;
}
