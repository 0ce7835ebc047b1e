import { limits } from '@holdfast/domain/limits';
import type { Database } from '../client.ts';
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
};

/** Of the requests in flight at an endpoint's first failure one counts, then probes: a blip must not deactivate it. */
export function endpointVerdicts(records: AttemptRecord[]): EndpointVerdict[] {
  const verdicts = new Map<string, EndpointVerdict>();
  for (const record of records) {
    if (record.endpointId === null || !record.countsForEndpoint) continue;
    const { endpointId } = record;
    verdicts.set(endpointId, judged(verdicts.get(endpointId) ?? blank(endpointId), record));
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

export type AttemptRecord = {
  id: string;
  attempts: number;
  number: number;
  endpointId: string | null;
  isProbe: boolean;
  ok: boolean;
  isGone: boolean;
  countsForEndpoint: boolean;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  stage: string | null;
  answer: string | null;
  nextDelayS: number | null;
  retryAfterS: number;
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
  const column = <Key extends keyof AttemptRecord>(key: Key) => records.map((record) => record[key]);
  const verdicts = endpointVerdicts(records);
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
    column('answer'),
    args.failuresToNotify,
  ]);
  const states = rows.flatMap(({ id, state }) => (state === null ? [] : [[id, state] as const]));
  return { states: new Map(states), hasEndpointEvents: states.length < rows.length };
}

// Endpoints are locked before deliveries, as in updates and removals. A healthy endpoint with a recent success is not
// written. Responses and errors of a delivery that ended meanwhile are dropped: its execution may have been erased.
// Attempts at an endpoint that was switched off change nothing.
const recordAttemptsSql = `
WITH item AS (
  SELECT *, now() + delay_s * interval '1 second' AS next_at
  FROM unnest($1::text[], $2::int[], $3::int[], $4::bool[], $5::int[], $6::int[], $7::text[], $8::float8[],
    $19::text[], $20::text[]) AS t (id, attempts, number, ok, duration_ms, status_code, error, delay_s, stage, answer)
),
verdict AS (
  SELECT * FROM unnest($9::text[], $10::bool[], $11::bool[], $12::int[], $13::bool[], $14::text[], $15::float8[])
    AS t (id, succeeded, failed, probe_failures, gone, error, retry_after_s)
),
judged AS (
  SELECT v.*, w.organization_id, w.url, w.is_active, w.failing_since, w.failure_count AS before,
    CASE WHEN v.succeeded THEN v.failed::int WHEN w.failure_count = 0 THEN 1
      ELSE w.failure_count + v.probe_failures END AS failures
  FROM webhook_endpoints w JOIN verdict v ON v.id = w.id
  WHERE NOT (v.succeeded AND v.error IS NULL AND w.is_active AND w.failure_count = 0 AND w.failing_since IS NULL
    AND coalesce(w.last_success > now() - interval '5 seconds', false))
  ORDER BY w.id FOR UPDATE OF w
),
held AS MATERIALIZED (
  SELECT id, state, attempts FROM deliveries
  WHERE id = ANY ($1::text[]) AND id >= $18 AND (SELECT count(*) FROM judged) >= 0 ORDER BY id FOR UPDATE
),
noted AS (
  UPDATE delivery_attempts a SET duration_ms = i.duration_ms, status_code = i.status_code, stage = i.stage,
    error = CASE WHEN i.is_wanted THEN i.error ELSE ${stageSql('i')} END,
    answer = CASE WHEN i.is_wanted THEN i.answer END
  FROM (SELECT *, id IN (SELECT id FROM held WHERE state = 'pending') AS is_wanted FROM item) i WHERE a.delivery_id = i.id AND a.number = i.number
),
written AS (
  UPDATE deliveries d SET lease_until = NULL,
    state = CASE WHEN i.ok THEN 'delivered' WHEN i.next_at IS NULL THEN 'failed'
      WHEN i.next_at >= d.expires_at THEN 'expired' ELSE 'pending' END,
    next_attempt_at = CASE WHEN i.ok OR i.next_at >= d.expires_at THEN NULL ELSE i.next_at END,
    finished_at = CASE WHEN i.ok OR i.next_at IS NULL OR i.next_at >= d.expires_at THEN now() END
  FROM held h JOIN item i ON i.id = h.id AND (i.ok OR i.attempts = h.attempts)
  WHERE d.id = h.id AND d.id >= $18 AND h.state = 'pending' RETURNING d.id, d.state
),
turned AS (
  SELECT *, is_active AND NOT gone AND failures < $16::int AS stays_active,
    CASE WHEN NOT is_active THEN NULL WHEN gone OR failures >= $16::int THEN 'endpoint.deactivated'
      WHEN failing_since IS NULL AND failures >= $21::int THEN 'endpoint.failing'
      WHEN failing_since IS NOT NULL AND failures = 0 THEN 'endpoint.recovered' END AS told
  FROM judged
),
counted AS (
  UPDATE webhook_endpoints w SET failure_count = j.failures, is_active = j.stays_active,
    probe_at = CASE WHEN j.failures = 0 THEN NULL WHEN j.failures = j.before AND NOT j.succeeded THEN w.probe_at
      ELSE now() + greatest(least($17::float8, power(2, least(j.failures, 20) - 1)), j.retry_after_s)
        * interval '1 second' END,
    failing_since = CASE j.told WHEN 'endpoint.recovered' THEN NULL
      WHEN 'endpoint.failing' THEN now() WHEN 'endpoint.deactivated' THEN coalesce(w.failing_since, now())
      ELSE w.failing_since END,
    missed = CASE WHEN j.is_active AND NOT j.stays_active THEN
      w.missed * tstzmultirange(tstzrange(now() - interval '1 day', NULL))
        + tstzmultirange(tstzrange(now() - interval '1 second', NULL)) ELSE w.missed END,
    last_success = CASE WHEN j.succeeded THEN now() ELSE w.last_success END,
    last_failure = CASE WHEN j.error IS NOT NULL THEN now() ELSE w.last_failure END,
    last_error = coalesce(j.error, w.last_error)
  FROM turned j WHERE w.id = j.id
),
${endpointEventsSql('turned')}
SELECT id, state FROM written UNION ALL SELECT id, NULL FROM endpoint_event WHERE id IS NOT NULL`;

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
