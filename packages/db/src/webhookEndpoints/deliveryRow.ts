export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'expired';

export type DeliveryAttemptRow = {
  number: number;
  startedAt: Date;
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  /** How far it came when it failed: `dns`, `connect` and so on. */
  stage: string | null;
  /** The beginning of what the receiver answered. */
  answer: string | null;
};

export type DeliveryRow = {
  id: string;
  eventId: string;
  eventType: string;
  /** Null: the event tells of an endpoint. */
  executionId: string | null;
  /** The endpoint that the event tells of. */
  aboutEndpointId: string | null;
  /** The receiver; null: the execution's own `webhook_url`. */
  endpointId: string | null;
  lane: string;
  url: string;
  state: DeliveryState;
  attempts: DeliveryAttemptRow[];
  nextAttemptAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
};

/** What nobody attempts any more though it has not been ended yet. */
const isOver = `d.state = 'pending' AND d.expires_at <= now() AND (d.lease_until IS NULL OR d.lease_until <= now())`;

/** The state of a delivery `d` as it is shown. */
export const shownStateSql = `CASE WHEN ${isOver} THEN 'expired' ELSE d.state END`;

/** Deliveries `d` with their events `e`, without attempts. */
export const deliveryColumnsSql = `d.id, d.event_id AS "eventId", e.type AS "eventType",
  e.execution_id AS "executionId", e.endpoint_id AS "aboutEndpointId", d.endpoint_id AS "endpointId", d.lane, d.url,
  ${shownStateSql} AS state, d.next_attempt_at AS "nextAttemptAt", d.expires_at AS "expiresAt",
  d.created_at AS "createdAt", CASE WHEN ${isOver} THEN d.expires_at ELSE d.finished_at END AS "finishedAt"`;
