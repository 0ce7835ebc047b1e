import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Database } from '../client.ts';
import { checkedSql, runStatement, sameIdSql } from '../statement.ts';
import { dialectOfExecutionSql } from './dialects.ts';
import { isWithinSql } from './eventBody.ts';
import { type SigningSecrets, signingSecretsSql } from './secrets.ts';

export type ClaimedDelivery = SigningSecrets & {
  id: string;
  lane: string;
  organizationId: string;
  /** The number of this attempt, since the delivery was last made due again and ever. */
  attempts: number;
  number: number;
  /** Counted and logged with the claim. One that was claimed ahead is counted once it has started. */
  isCounted: boolean;
  /** Names the claim: only its holder records a failure. */
  leaseUntil: Date;
  /** By the database's clock. */
  claimedAt: Date;
  /** When the claim arrived here, by `performance.now()`. */
  claimedAtMs: number;
  endpointId: string | null;
  isProbe: boolean;
  url: string;
  eventId: string;
  eventType: string;
  eventCreatedAt: Date;
  executionId: string | null;
  traceparent: string | null;
  isThin: boolean;
  /** Whose webhooks those of the endpoint look like; null: it is a `webhook_url`. */
  endpointDialect: string | null;
  body: string;
  headers: string | null;
  /** What the API that created the execution keeps for webhooks: whose words a `webhook_url` receives; null: the body. */
  dialect: WebhookDialect | null;
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
FROM owed LEFT JOIN LATERAL (SELECT * FROM webhook_endpoints WHERE id = owed.lane OFFSET 0) w ON true
CROSS JOIN LATERAL (
  SELECT organization_id FROM deliveries
  WHERE lane = owed.lane AND state = 'pending' AND next_attempt_at <= now()
    AND (lease_until IS NULL OR lease_until <= now())
    AND (attempts > 0 OR created_at <= now() - $1::float8 * interval '1 second')
  ORDER BY next_attempt_at LIMIT 1
) due
WHERE w.id IS NULL OR (${maySendSql('w')})`;

/** Deliveries wanted: `slots` to be sent at once, `ahead` to be sent later. */
export type LaneRoom = { lane: string; slots: number; ahead: number };

export type LaneClaim = {
  claimed: ClaimedDelivery[];
  ended: { id: string; state: 'failed' | 'expired' }[];
  /** Due deliveries were left, because the bodies of this claim were large enough. */
  hasMore: boolean;
  maxInFlight: number | null;
  /** The limit that senders found for all of them together. */
  inFlightLimit: number | null;
  /** When a paced lane may be claimed again. */
  waitMs: number | null;
};

type Row = Omit<ClaimedDelivery, 'claimedAtMs'> & {
  state: 'pending' | 'failed' | 'expired' | 'unclaimed';
  maxInFlight: number | null;
  inFlightLimit: number | null;
  waitMs: number | null;
};

/**
 * Claims due deliveries of each lane, the longest due first, for `leaseS`; counts the attempts that start at once and
 * opens their rows. Stops when their bodies together have `bodyBytes`. Overdue ones end. A failing endpoint gives one
 * probe once `probe_at` has passed; one with `max_per_second` a tenth of a second's worth, then pauses as long; neither
 * gives any ahead.
 */
export async function claimLanes(
  db: Database,
  lanes: LaneRoom[],
  args: { leaseS: number; maxAttempts: number; senders: number; bodyBytes: number },
): Promise<Map<string, LaneClaim>> {
  const rows = await runStatement<Row>(db.pool, 'claim_lanes', claimLanesSql, [
    lanes.map(({ lane }) => lane),
    lanes.map(({ slots }) => slots),
    lanes.map(({ ahead }) => ahead),
    args.leaseS,
    args.maxAttempts,
    args.senders,
    args.bodyBytes,
  ]);
  const claimedAtMs = performance.now();
  const byLane = Map.groupBy(rows, ({ lane }) => lane);
  return new Map([...byLane].map(([lane, deliveries]) => [lane, toClaim(deliveries, claimedAtMs)]));
}

function toClaim(rows: Row[], claimedAtMs: number): LaneClaim {
  return {
    claimed: rows.filter(({ state }) => state === 'pending').map((row) => ({ ...row, claimedAtMs })),
    ended: rows.flatMap(({ id, state }) =>
      state === 'failed' || state === 'expired' ? [{ id, state }] : [],
    ),
    hasMore: rows.some(({ state }) => state === 'unclaimed'),
    maxInFlight: rows[0]?.maxInFlight ?? null,
    inFlightLimit: rows[0]?.inFlightLimit ?? null,
    waitMs: rows[0]?.waitMs ?? null,
  };
}

// Never waits for a lock: another claimer or the next sweep takes those rows. Only failing or paced endpoints are locked.
// Every row is looked up by its key, for each id or by `= ANY`: a join could be planned as a scan. Requests go to the URL
// of the endpoint, with its secrets, and not to the delivery's URL, which services without them may write.
const claimLanesSql = `
WITH asked AS MATERIALIZED (
  SELECT a.lane, a.slots, a.ahead, w.max_in_flight, w.in_flight_limit,
    coalesce(w.failure_count > 0 OR w.max_per_second IS NOT NULL, false) AS is_guarded
  FROM unnest($1::text[], $2::int[], $3::int[]) AS a (lane, slots, ahead)
  LEFT JOIN LATERAL (SELECT * FROM webhook_endpoints WHERE id = a.lane OFFSET 0) w ON true
  WHERE w.id IS NULL OR (w.is_active AND w.deleted_at IS NULL)
),
open AS MATERIALIZED (
  SELECT a.lane, a.is_guarded, a.max_in_flight, a.in_flight_limit, coalesce(g.is_failing, false) AS is_probe,
    g.max_per_second, CASE WHEN a.is_guarded THEN 0 ELSE a.ahead END AS ahead,
    least(a.slots, CASE WHEN a.max_in_flight IS NOT NULL THEN greatest(1, a.max_in_flight / $6::int) END,
      CASE WHEN g.max_per_second IS NOT NULL THEN greatest(1, g.max_per_second / 10) END,
      CASE WHEN g.is_failing THEN 1 END) AS slots
  FROM asked a LEFT JOIN LATERAL (
    SELECT w.id, w.failure_count > 0 AS is_failing, w.max_per_second FROM webhook_endpoints w
    WHERE a.is_guarded AND w.id = a.lane AND ${maySendSql('w')} FOR UPDATE SKIP LOCKED
  ) g ON true
  WHERE g.id IS NOT NULL OR NOT a.is_guarded
),
due AS MATERIALIZED (
  SELECT o.*, d.*, d.attempts < $5::int AND d.expires_at > now() AS is_live,
    row_number() OVER (PARTITION BY o.lane ORDER BY d.next_attempt_at) AS position,
    (SELECT octet_length(body) FROM events WHERE ${sameIdSql('d.event_id')}) AS bytes
  FROM open o CROSS JOIN LATERAL (
    SELECT id, event_id, organization_id, endpoint_id, url, attempts, expires_at, next_attempt_at FROM deliveries
    WHERE lane = o.lane AND state = 'pending' AND next_attempt_at <= now()
      AND (lease_until IS NULL OR lease_until <= now())
    ORDER BY next_attempt_at LIMIT o.slots + o.ahead FOR UPDATE SKIP LOCKED
  ) d
),
picked AS MATERIALIZED (
  SELECT *, position <= slots AS is_started,
    is_live AND ${isWithinSql('bytes', '$7', 'ORDER BY position, next_attempt_at')} AS is_claimed
  FROM due
),
noted AS (
  UPDATE webhook_endpoints w SET
    probe_at = CASE WHEN w.failure_count > 0 THEN now() + $4::float8 * interval '1 second' ELSE w.probe_at END,
    paced_until = now() + (SELECT count(*) FROM picked p WHERE p.lane = w.id AND p.is_claimed)
      * interval '1 second' / w.max_per_second
  WHERE w.id = ANY (ARRAY (SELECT lane FROM picked WHERE is_guarded AND is_claimed))
),
started AS (
  UPDATE deliveries SET attempts = attempts + 1, lease_until = now() + $4::float8 * interval '1 second'
  WHERE id = ANY (ARRAY (SELECT id FROM picked WHERE is_claimed AND is_started))
),
kept AS (
  UPDATE deliveries SET lease_until = now() + $4::float8 * interval '1 second'
  WHERE id = ANY (ARRAY (SELECT id FROM picked WHERE is_claimed AND NOT is_started))
),
ended AS (
  UPDATE deliveries SET state = CASE WHEN attempts >= $5::int THEN 'failed' ELSE 'expired' END,
    lease_until = NULL, next_attempt_at = NULL, finished_at = now()
  WHERE id = ANY (ARRAY (SELECT id FROM picked WHERE NOT is_live))
),
numbered AS MATERIALIZED (
  SELECT *, 1 + coalesce((SELECT max(a.number) FROM delivery_attempts a WHERE a.delivery_id = picked.id), 0) AS number,
    CASE WHEN is_claimed THEN 'pending' WHEN is_live THEN 'unclaimed' WHEN attempts >= $5::int THEN 'failed' ELSE 'expired' END AS state
  FROM picked
),
attempt AS (
  INSERT INTO delivery_attempts (delivery_id, number) SELECT id, number FROM numbered WHERE is_claimed AND is_started
)
SELECT c.id, c.lane, c.state, c.organization_id AS "organizationId", c.attempts + 1 AS attempts, c.number,
  c.is_started AS "isCounted", (now() + $4::float8 * interval '1 second')::timestamptz(3) AS "leaseUntil",
  now()::timestamptz(3) AS "claimedAt", c.endpoint_id AS "endpointId", c.is_probe AS "isProbe", c.event_id AS "eventId", v.type AS "eventType",
  v.created_at AS "eventCreatedAt", v.execution_id AS "executionId", v.traceparent, CASE WHEN c.is_claimed THEN v.body END AS body, s.*,
  c.max_in_flight AS "maxInFlight", c.in_flight_limit AS "inFlightLimit",
  (1000.0 * count(*) FILTER (WHERE c.is_claimed) OVER (PARTITION BY c.lane) / c.max_per_second)::float8 AS "waitMs"
FROM numbered c CROSS JOIN LATERAL (SELECT * FROM events WHERE ${sameIdSql('c.event_id')}) v CROSS JOIN LATERAL (
  SELECT w.url, w.headers, w.payload = 'thin' AS "isThin", w.dialect AS "endpointDialect", ${dialectOfExecutionSql('w.dialect', 'v.execution_id')} AS dialect, ${signingSecretsSql('w', 'secret')}
  FROM webhook_endpoints w WHERE w.id = c.endpoint_id
  UNION ALL
  SELECT c.url, NULL, false, NULL,
    (SELECT webhook_dialect FROM executions WHERE ${sameIdSql('v.execution_id')}),
    ${signingSecretsSql('o', 'webhook_secret')}
  FROM organizations o WHERE o.id = c.organization_id AND c.endpoint_id IS NULL
  OFFSET 0
) s`;

/** `leaseUntil` null: a delivery that was written without a lease. */
export type Claim = { id: string; leaseUntil: Date | null };

/**
 * Gives back deliveries that were claimed ahead and have not started, unless another claim has taken them over or they
 * have ended. None is due before it is `firstDelayS` old.
 */
export async function releaseClaims(db: Database, claims: Claim[], firstDelayS = 0): Promise<void> {
  const sorted = claims.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const ids = sorted.map(({ id }) => id);
  const leases = sorted.map(({ leaseUntil }) => leaseUntil);
  await runStatement(db.pool, 'release_claims', releaseClaimsSql, [ids, leases, firstDelayS]);
}

const releaseClaimsSql = `
WITH held AS MATERIALIZED (
  SELECT i.id FROM unnest($1::text[], $2::timestamptz[]) AS i (id, lease_until) CROSS JOIN LATERAL (
    SELECT lease_until, state FROM deliveries WHERE id = i.id FOR UPDATE
  ) d WHERE ${checkedSql(`d.lease_until IS NOT DISTINCT FROM i.lease_until AND d.state = 'pending'`)}
)
UPDATE deliveries SET lease_until = NULL,
  next_attempt_at = greatest(next_attempt_at, created_at + $3::float8 * interval '1 second')
WHERE id = ANY (ARRAY (SELECT id FROM held))`;

/** An endpoint that may be sent to now: active, its probe due if it is failing, within its pace. */
function maySendSql(w: string): string {
  return `${w}.is_active AND ${w}.deleted_at IS NULL
    AND (${w}.failure_count = 0 OR ${w}.probe_at IS NULL OR ${w}.probe_at <= now())
    AND (${w}.max_per_second IS NULL OR ${w}.paced_until IS NULL OR ${w}.paced_until <= now())`;
}
