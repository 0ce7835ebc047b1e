import type { Database } from '../client.ts';
import { checkedSql, firstId, runStatement, sameIdSql } from '../statement.ts';
import { dialectOfExecutionSql } from './dialects.ts';
import { isWithinSql } from './eventBody.ts';
import type { ClaimedDelivery } from './lanes.ts';
import { newDeliveryLeaseS } from './newEvents.ts';
import { signingSecretsSql } from './secrets.ts';

export type NewDelivery = Omit<ClaimedDelivery, 'leaseUntil'> & {
  maxInFlight: number;
  inFlightLimit: number | null;
  isFailing: boolean;
  isPaced: boolean;
} & ({ leaseUntil: Date; leaseMs: number } | { leaseUntil: null; leaseMs: null });

/**
 * Deliveries that were written with their events (see newEvents.ts) and that no sender has claimed since, to active
 * endpoints, until their bodies together have `bodyBytes`. One with a lease belongs to the sender that took its hint.
 */
export async function readNewDeliveries(
  db: Database,
  ids: string[],
  bodyBytes: number,
): Promise<NewDelivery[]> {
  const values = [ids, firstId('dlv', ids), firstId('evt', ids), bodyBytes];
  const rows = await runStatement<NewDelivery>(db.pool, 'new_deliveries', statement, values);
  const claimedAtMs = performance.now();
  return rows.map((row) => ({ ...row, claimedAtMs }));
}

// A claim's lease lasts longer, so it does not end so soon after the delivery was written.
const statement = `
SELECT * FROM (
  SELECT d.id, d.lane, d.organization_id AS "organizationId", 1 AS attempts, 1 AS number, false AS "isCounted",
    false AS "isProbe", d.lease_until AS "leaseUntil", now()::timestamptz(3) AS "claimedAt",
    (extract(epoch FROM d.lease_until - now()) * 1000)::float8 AS "leaseMs", d.endpoint_id AS "endpointId",
    v.id AS "eventId", v.type AS "eventType", v.created_at AS "eventCreatedAt", v.execution_id AS "executionId",
    v.traceparent, v.body, w.*, ${isWithinSql('octet_length(v.body)', '$4')} AS is_within
  FROM unnest($1::text[]) AS i (id)
  CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id >= $2 AND ${sameIdSql('i.id')}) d
  CROSS JOIN LATERAL (SELECT * FROM events WHERE id >= $3 AND ${sameIdSql('d.event_id')}) v
  CROSS JOIN LATERAL (
    SELECT url, headers, payload = 'thin' AS "isThin", dialect AS "endpointDialect",
      ${dialectOfExecutionSql('dialect', 'v.execution_id')} AS dialect, max_in_flight AS "maxInFlight", in_flight_limit AS "inFlightLimit",
      failure_count > 0 AS "isFailing", max_per_second IS NOT NULL AS "isPaced", ${signingSecretsSql('e', 'secret')}
    FROM webhook_endpoints e WHERE e.id = d.endpoint_id AND ${checkedSql('e.is_active AND e.deleted_at IS NULL')} OFFSET 0
  ) w
  WHERE d.state = 'pending' AND d.attempts = 0 AND v.body IS NOT NULL AND (d.lease_until IS NULL
    OR d.lease_until > now() AND d.lease_until <= d.created_at + interval '${newDeliveryLeaseS} seconds')
) n WHERE is_within`;
