/** What is sent of an event: all of it, or ids and status alone. */
export type Payload = 'full' | 'thin';

/** A webhook endpoint as its owner sees it: without its secret and its custom headers. */
export type WebhookEndpointRow = {
  id: string;
  url: string;
  description: string;
  events: string[];
  /** Slugs; empty: all models. */
  models: string[];
  payload: Payload;
  maxInFlight: number;
  maxPerSecond: number | null;
  isActive: boolean;
  failureCount: number;
  lastSuccess: Date | null;
  lastFailure: Date | null;
  lastError: string | null;
  failingSince: Date | null;
  /** Until when the secret before the last rotation signs too; null: it does not. */
  previousSecretUntil: Date | null;
  createdAt: Date;
};

/** For RETURNING. */
export const shownColumnsSql = `id, url, description, events, models, payload, max_in_flight AS "maxInFlight",
  max_per_second AS "maxPerSecond", is_active AS "isActive", failure_count AS "failureCount",
  last_success AS "lastSuccess", last_failure AS "lastFailure", last_error AS "lastError",
  failing_since AS "failingSince", created_at AS "createdAt",
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS "previousSecretUntil"`;
