import { asksFor, type EventType } from '@holdfast/domain/eventTypes';
import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';
import { type SigningSecrets, signingSecretsSql } from './signingSecrets.ts';

/** Whom an organization's events may go to. */
export type Audience = {
  organizationId: string;
  /** The organization's own, for the `webhook_url`s of its executions. */
  secrets: SigningSecrets;
  /** Those that are active. */
  endpoints: EndpointToTell[];
};

export type EndpointToTell = SigningSecrets & {
  id: string;
  url: string;
  /** The types it asks for, and the models: see `isFor`. */
  events: string[];
  models: string[];
  /** Custom headers: sealed JSON. */
  headers: string | null;
  isThin: boolean;
  maxInFlight: number;
  /** Failed when it was last tried: it is only probed. */
  isFailing: boolean;
  /** It has a `max_per_second`, which is counted where it is claimed. */
  isPaced: boolean;
};

/** Whom those of `eventIds` may go to that nobody has fanned out yet, by organization. */
export async function readAudiences(db: Database, eventIds: string[]): Promise<Map<string, Audience>> {
  const values = [eventIds, firstId('evt', eventIds)];
  const rows = await runStatement<Audience>(db.pool, 'audiences', statement, values);
  return new Map(rows.map((audience) => [audience.organizationId, audience]));
}

/** Whether an endpoint wants an event. */
export function isFor(
  { events, models }: EndpointToTell,
  event: { type: EventType; model: string },
): boolean {
  return asksFor(events, event.type) && (models.length === 0 || models.includes(event.model));
}

const statement = `
WITH asked AS MATERIALIZED (
  SELECT DISTINCT organization_id FROM events WHERE id = ANY ($1::text[]) AND id >= $2 AND fanned_out_at IS NULL
)
SELECT o.id AS "organizationId", (SELECT row_to_json(s) FROM (SELECT ${signingSecretsSql('o', 'webhook_secret')}) s) AS secrets,
  (SELECT coalesce(json_agg(e), '[]') FROM (
    SELECT w.id, w.url, coalesce(w.events, '{}') AS events, w.models, w.headers, w.payload = 'thin' AS "isThin",
      w.max_in_flight AS "maxInFlight", w.failure_count > 0 AS "isFailing", w.max_per_second IS NOT NULL AS "isPaced",
      ${signingSecretsSql('w', 'secret')}
    FROM webhook_endpoints w WHERE w.organization_id = o.id AND w.deleted_at IS NULL AND w.is_active
  ) e) AS endpoints
FROM asked JOIN organizations o ON o.id = asked.organization_id`;
