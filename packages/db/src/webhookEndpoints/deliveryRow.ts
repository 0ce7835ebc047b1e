export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'expired';

export type DeliveryAttemptRow = {
  number: number;
  startedAt: Date;
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
};

export type DeliveryRow = {
  id: string;
  eventId: string;
  eventType: string;
  executionId: string;
  endpointId: string | null;
  url: string;
  state: DeliveryState;
  attempts: DeliveryAttemptRow[];
  nextAttemptAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
};

/** Deliveries `d` with their events `e`, without attempts. */
export const deliveryColumnsSql = `d.id, d.event_id AS "eventId", e.type AS "eventType",
  e.execution_id AS "executionId", d.endpoint_id AS "endpointId", d.url, d.state,
  d.next_attempt_at AS "nextAttemptAt", d.expires_at AS "expiresAt", d.created_at AS "createdAt",
  d.finished_at AS "finishedAt"`;
