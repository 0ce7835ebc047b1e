import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
import { maxLockWaitMs } from '../locks.ts';
import { firstId, runStatement } from '../statement.ts';
import type { DeliveryState } from './deliveries.ts';
import { endpointEventsSql } from './endpointEvents.ts';
import { lanesWithDeliveriesSql } from './lanes.ts';

export type EndpointVerdict = {
  endpointId: string;
  succeeded: boolean;
  failed: boolean;
  probeFailures: number;
  isGone: boolean;
  error: string | null;
  retryAfterS: number;
  inFlightLimit: number | null;
};

/** One of the requests in flight at an endpoint's first failure counts, then probes: a blip must not deactivate it. */
export function endpointVerdicts(records: AttemptRecord[]): EndpointVerdict[] {
  const verdicts = new Map<string, EndpointVerdict>();
  for (const record of records) {
    if (record.endpointId === null || !record.countsForEndpoint) continue;
    const { endpointId } = record;
    const verdict = judged(verdicts.get(endpointId) ?? blank(endpointId), record);
    verdicts.set(endpointId, { ...verdict, inFlightLimit: record.inFlightLimit ?? verdict.inFlightLimit });
  }
  return [...verdicts.values()];
}

function blank(endpointId: string): EndpointVerdict {
  return {
    endpointId,
    succeeded: false,
    failed: false,
    probeFailures: 0,
    isGone: false,
    error: null,
    retryAfterS: 0,
    inFlightLimit: null,
  };
}

function judged(verdict: EndpointVerdict, record: AttemptRecord): EndpointVerdict {
  if (record.ok) return { ...verdict, succeeded: true, failed: false, probeFailures: 0, retryAfterS: 0 };
  return {
    ...verdict,
    failed: true,
    probeFailures: verdict.probeFailures + (record.isProbe ? 1 : 0),
    isGone: verdict.isGone || record.isGone,
    error: record.error,
    retryAfterS: Math.max(verdict.retryAfterS, record.retryAfterS),
  };
}

/** The stage, or `responded with 500`: nothing that may name a host. */
export const stageSql = (row: string) => `CASE WHEN ${row}.status_code IS NULL
  THEN coalesce(${row}.stage, split_part(${row}.error, ':', 1)) ELSE split_part(${row}.error, ':', 1) END`;

/** An attempt that has started; `attempts`, `number` and `leaseUntil` are those of its claim. */
export type StartedAttempt = {
  id: string;
  attempts: number;
  number: number;
  leaseUntil: Date;
  startedAt: Date;
};

export type AttemptRecord = StartedAttempt & {
  endpointId: string | null;
  isProbe: boolean;
  ok: boolean;
  isGone: boolean;
  countsForEndpoint: boolean;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  stage: string | null;
  response: string | null;
  nextDelayS: number | null;
  retryAfterS: number;
  /** Requests that all senders together may have open at the endpoint, as this one found. */
  inFlightLimit: number | null;
};

export type Recorded = {
  states: Map<string, DeliveryState>;
  hasEndpointEvents: boolean;
};

type Row = { id: string; state: DeliveryState | null };

/** In the order they ended, unless another claim has taken over the delivery and this one did not deliver it. */
export async function recordAttempts(
  db: Database,
  records: AttemptRecord[],
  args: { failuresToNotify: number; failuresToDeactivate: number; maxProbeDelayS: number },
): Promise<Recorded> {
  const sorted = inOrderOfId(records);
  const column = <Key extends keyof AttemptRecord>(key: Key) => sorted.map((record) => record[key]);
  const verdicts = endpointVerdicts(records).sort((one, other) =>
    one.endpointId < other.endpointId ? -1 : 1,
  );
  const rows = await runStatement<Row>(db.pool, 'record_delivery_attempts', recordAttemptsSql, [
    column('id'),
    column('attempts'),
    column('number'),
    column('ok'),
    column('durationMs'),
    column('statusCode'),
    column('error'),
    column('nextDelayS'),
    verdicts.map(({ endpointId }) => endpointId),
    verdicts.map(({ succeeded }) => succeeded),
    verdicts.map(({ failed }) => failed),
    verdicts.map(({ probeFailures }) => probeFailures),
    verdicts.map(({ isGone }) => isGone),
    verdicts.map(({ error }) => error),
    verdicts.map(({ retryAfterS }) => retryAfterS),
    args.failuresToDeactivate,
    args.maxProbeDelayS,
    firstId('dlv', column('id')),
    column('stage'),
    column('response'),
    args.failuresToNotify,
    column('leaseUntil'),
    column('startedAt'),
    verdicts.map(({ inFlightLimit }) => inFlightLimit),
  ]);
  const states = rows.flatMap(({ id, state }) => (state === null ? [] : [[id, state] as const]));
  return { states: new Map(states), hasEndpointEvents: states.length < rows.length };
}

/** Deliveries are locked in this order. When one delivery had two attempts at once, a success is kept. */
function inOrderOfId<Item extends { id: string; ok?: boolean }>(attempts: Item[]): Item[] {
  const byId = new Map<string, Item>();
  for (const attempt of attempts) if (!byId.get(attempt.id)?.ok) byId.set(attempt.id, attempt);
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

// Endpoints are locked before deliveries, as in updates and removals. A healthy endpoint with a recent success is not
// written. Responses and errors of a delivery that ended meanwhile are dropped: its execution may have been erased.
// Attempts at an endpoint that was switched off change nothing. Rows are looked up by their keys, and their new values
// by `array_position`: a join could be planned as a scan.
const recordAttemptsSql = `
WITH verdict AS MATERIALIZED (
  SELECT *, set_config('lock_timeout', '${maxLockWaitMs}', true) FROM unnest($9::text[], $10::bool[], $11::bool[], $12::int[], $13::bool[], $14::text[], $15::float8[],
    $24::int[]) AS t (id, succeeded, failed, probe_failures, gone, error, retry_after_s, in_flight_limit)
),
judged AS MATERIALIZED (
  SELECT v.*, w.organization_id, w.url, w.is_active, w.failing_since, w.failure_count AS before,
    CASE WHEN v.succeeded THEN v.failed::int WHEN w.failure_count = 0 THEN 1
      ELSE w.failure_count + v.probe_failures END AS failures
  FROM verdict v CROSS JOIN LATERAL (
    SELECT organization_id, url, is_active, failing_since, failure_count FROM webhook_endpoints
    WHERE id = v.id AND NOT (v.succeeded AND v.error IS NULL AND is_active AND failure_count = 0
      AND failing_since IS NULL AND coalesce(last_success > now() - interval '5 seconds', false)) FOR UPDATE
  ) w
),
held AS MATERIALIZED (
  SELECT i.*, d.state = 'pending' AS is_wanted,
    d.state = 'pending' AND (i.ok OR coalesce(d.lease_until = i.lease_until, false)) AS is_ours
  FROM unnest($1::text[], $3::int[], $4::bool[], $5::int[], $6::int[], $7::text[], $19::text[], $20::text[],
    $22::timestamptz[], $23::timestamptz[])
    AS i (id, number, ok, duration_ms, status_code, error, stage, answer, lease_until, started_at)
  CROSS JOIN LATERAL (
    SELECT state, lease_until FROM deliveries
    WHERE id = i.id AND id >= $18 AND (SELECT count(*) FROM judged) >= 0 FOR UPDATE
  ) d
),
noted AS (
  INSERT INTO delivery_attempts AS a (delivery_id, number, started_at, duration_ms, status_code, stage, error, answer)
  SELECT id, number, started_at, duration_ms, status_code, stage,
    CASE WHEN is_wanted THEN error ELSE ${stageSql('held')} END, CASE WHEN is_wanted THEN answer END
  FROM held
  ON CONFLICT (delivery_id, number) DO UPDATE SET duration_ms = EXCLUDED.duration_ms,
    status_code = EXCLUDED.status_code, stage = EXCLUDED.stage, error = EXCLUDED.error, answer = EXCLUDED.answer
),
written AS (
  UPDATE deliveries d SET lease_until = NULL, (attempts, state, next_attempt_at, finished_at) = (
    SELECT greatest(d.attempts, i.attempts) - i.was_stopped::int, i.state, CASE WHEN i.state = 'pending' THEN i.next_at END,
      CASE WHEN i.state <> 'pending' THEN now() END
    FROM (
      SELECT *, CASE WHEN ok THEN 'delivered' WHEN next_at IS NULL THEN 'failed' WHEN next_at >= d.expires_at
        THEN 'expired' ELSE 'pending' END AS state
      FROM (
        SELECT ($2::int[])[at] AS attempts, ($4::bool[])[at] AS ok,
          coalesce(($19::text[])[at] = 'aborted', false) AS was_stopped,
          now() + ($8::float8[])[at] * interval '1 second' AS next_at
        FROM array_position($1::text[], d.id) AS at
      ) read
    ) i)
  WHERE d.id = ANY (ARRAY (SELECT id FROM held WHERE is_ours)) AND d.id >= $18 RETURNING d.id, d.state
),
turned AS MATERIALIZED (
  SELECT *, is_active AND NOT gone AND failures < $16::int AS stays_active,
    CASE WHEN NOT is_active THEN NULL WHEN gone OR failures >= $16::int THEN 'endpoint.deactivated'
      WHEN failing_since IS NULL AND failures >= $21::int THEN 'endpoint.failing'
      WHEN failing_since IS NOT NULL AND failures = 0 THEN 'endpoint.recovered' END AS event_type
  FROM judged
),
counted AS (
  UPDATE webhook_endpoints w SET failure_count = j.failures, is_active = j.stays_active,
    probe_at = CASE WHEN j.failures = 0 THEN NULL WHEN j.failures = j.before AND NOT j.succeeded THEN w.probe_at
      ELSE now() + greatest(least($17::float8, power(2, least(j.failures, 20) - 1)), j.retry_after_s)
        * interval '1 second' END,
    failing_since = CASE j.event_type WHEN 'endpoint.recovered' THEN NULL
      WHEN 'endpoint.failing' THEN now() WHEN 'endpoint.deactivated' THEN coalesce(w.failing_since, now())
      ELSE w.failing_since END,
    missed = CASE WHEN j.is_active AND NOT j.stays_active THEN
      w.missed * tstzmultirange(tstzrange(now() - interval '1 day', NULL))
        + tstzmultirange(tstzrange(now() - interval '1 second', NULL)) ELSE w.missed END,
    last_success = CASE WHEN j.succeeded THEN now() ELSE w.last_success END,
    last_failure = CASE WHEN j.error IS NOT NULL THEN now() ELSE w.last_failure END,
    last_error = coalesce(j.error, w.last_error),
    in_flight_limit = coalesce(j.in_flight_limit, w.in_flight_limit)
  FROM turned j WHERE w.id = j.id AND w.id = ANY (ARRAY (SELECT id FROM turned))
),
${endpointEventsSql('turned')}
SELECT id, state FROM written UNION ALL SELECT id, NULL FROM endpoint_event WHERE id IS NOT NULL`;

/**
 * Counts attempts of deliveries that were claimed ahead, opens their rows, and extends their leases to `leaseS` from now,
 * unless another claim took over. Returns the new ends of the leases, by id.
 */
export async function markStarted(
  db: Database,
  attempts: StartedAttempt[],
  leaseS: number,
): Promise<Map<string, Date>> {
  const sorted = inOrderOfId(attempts);
  const ids = sorted.map(({ id }) => id);
  type Row = { id: string; leaseUntil: Date };
  const rows = await runStatement<Row>(db.pool, 'mark_deliveries_started', markStartedSql, [
    ids,
    sorted.map(({ number }) => number),
    sorted.map(({ leaseUntil }) => leaseUntil),
    sorted.map(({ startedAt }) => startedAt),
    firstId('dlv', ids),
    leaseS,
  ]);
  return new Map(rows.map(({ id, leaseUntil }) => [id, leaseUntil]));
}

const markStartedSql = `
WITH held AS MATERIALIZED (
  SELECT i.* FROM unnest($1::text[], $2::int[], $3::timestamptz[], $4::timestamptz[])
    AS i (id, number, lease_until, started_at)
  CROSS JOIN LATERAL (SELECT lease_until FROM deliveries WHERE id = i.id AND id >= $5 FOR UPDATE) d
  WHERE d.lease_until = i.lease_until
),
opened AS (
  INSERT INTO delivery_attempts (delivery_id, number, started_at) SELECT id, number, started_at FROM held
  ON CONFLICT DO NOTHING
)
UPDATE deliveries SET attempts = attempts + 1, lease_until = now() + $6::float8 * interval '1 second'
WHERE id = ANY (ARRAY (SELECT id FROM held)) AND id >= $5 RETURNING id, lease_until AS "leaseUntil"`;

/** Ends at most `limit` overdue deliveries that no attempt will end; returns how many. */
export async function endOverdueDeliveries(db: Database, limit: number): Promise<number> {
  const rows = await runStatement(db.pool, 'end_overdue_deliveries', endOverdueDeliveriesSql, [
    limits.webhookExpiryMs,
    limit,
  ]);
  return rows.length;
}

const endOverdueDeliveriesSql = `
WITH ${lanesWithDeliveriesSql},
overdue AS MATERIALIZED (
  SELECT due.id FROM owed CROSS JOIN LATERAL (
    SELECT id FROM deliveries
    WHERE lane = owed.lane AND state = 'pending' AND expires_at <= now()
      AND next_attempt_at <= now() - $1::float8 * interval '1 millisecond'
      AND (lease_until IS NULL OR lease_until <= now())
    ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) due LIMIT $2
)
UPDATE deliveries d SET state = 'expired', finished_at = now(), next_attempt_at = NULL, lease_until = NULL
FROM overdue WHERE d.id = overdue.id RETURNING d.id`;
