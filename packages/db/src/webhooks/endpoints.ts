import type { EndpointDialect } from '@holdfast/domain/endpointDialects';
import type { Database } from '../client.ts';
import { inTransaction, runStatement } from '../statement.ts';
import { type SigningSecrets, signingSecretsSql } from './secrets.ts';

type Payload = 'full' | 'thin';

export type WebhookEndpointRow = {
  id: string;
  url: string;
  description: string;
  events: string[];
  models: string[];
  payload: Payload;
  dialect: EndpointDialect;
  maxInFlight: number;
  maxPerSecond: number | null;
  isActive: boolean;
  failureCount: number;
  lastSuccess: Date | null;
  lastFailure: Date | null;
  lastError: string | null;
  failingSince: Date | null;
  previousSecretUntil: Date | null;
  createdAt: Date;
};

export const shownColumnsSql = `id, url, description, events, models, payload, dialect, max_in_flight AS "maxInFlight",
  max_per_second AS "maxPerSecond", is_active AS "isActive", failure_count AS "failureCount",
  last_success AS "lastSuccess", last_failure AS "lastFailure", last_error AS "lastError",
  failing_since AS "failingSince", created_at AS "createdAt",
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS "previousSecretUntil"`;

export type NewWebhookEndpoint = {
  id: string;
  organizationId: string;
  url: string;
  description: string;
  events: string[];
  models: string[];
  payload: Payload;
  dialect: EndpointDialect;
  maxInFlight: number;
  maxPerSecond: number | null;
  headers: string | null;
  secret: string;
};

export async function insertWebhookEndpoint(
  db: Database,
  endpoint: NewWebhookEndpoint,
  maximum: number,
): Promise<WebhookEndpointRow | null> {
  return inTransaction(db, async (client) => {
    await runStatement(client, 'lock_organization_endpoints', lock, [endpoint.organizationId]);
    const values = [maximum, ...columns.map(([property]) => endpoint[property])];
    const [row] = await runStatement<WebhookEndpointRow>(client, 'insert_webhook_endpoint', insert, values);
    return row ?? null;
  });
}

const columns: [keyof NewWebhookEndpoint, string][] = [
  ['organizationId', 'organization_id'],
  ['id', 'id'],
  ['url', 'url'],
  ['description', 'description'],
  ['events', 'events'],
  ['models', 'models'],
  ['payload', 'payload'],
  ['dialect', 'dialect'],
  ['maxInFlight', 'max_in_flight'],
  ['maxPerSecond', 'max_per_second'],
  ['headers', 'headers'],
  ['secret', 'secret'],
];

const lock = 'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE';

const insert = `INSERT INTO webhook_endpoints (${columns.map(([, column]) => column).join(', ')})
  SELECT ${columns.map((_, index) => `$${index + 2}`).join(', ')}
  WHERE (SELECT count(*) FROM webhook_endpoints WHERE organization_id = $2 AND deleted_at IS NULL) < $1
  RETURNING ${shownColumnsSql}`;

export async function getWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<WebhookEndpointRow | null> {
  const values = [id, organizationId];
  const [row] = await runStatement<WebhookEndpointRow>(
    db.pool,
    'get_webhook_endpoint',
    getWebhookEndpointSql,
    values,
  );
  return row ?? null;
}

const getWebhookEndpointSql = `SELECT ${shownColumnsSql} FROM webhook_endpoints
  WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`;

export async function listWebhookEndpoints(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<WebhookEndpointRow[]> {
  const values = [args.organizationId, args.limit, args.cursor ?? null];
  return await runStatement<WebhookEndpointRow>(
    db.pool,
    'list_webhook_endpoints',
    listWebhookEndpointsSql,
    values,
  );
}

const listWebhookEndpointsSql = `SELECT ${shownColumnsSql} FROM webhook_endpoints
  WHERE organization_id = $1 AND deleted_at IS NULL AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $2`;

export type WebhookEndpointChanges = {
  events?: string[] | undefined;
  models?: string[] | undefined;
  payload?: Payload | undefined;
  dialect?: EndpointDialect | undefined;
  maxInFlight?: number | undefined;
  maxPerSecond?: number | null | undefined;
  headers?: string | null | undefined;
  description?: string | undefined;
  isActive?: boolean | undefined;
};

/**
 * Undefined fields stay; null when the endpoint is missing. Activation resets the failure count and makes pending
 * deliveries due. A fan-out that read the endpoint before may arrive up to a minute later and is not missed.
 */
export async function updateWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
  changes: WebhookEndpointChanges,
): Promise<WebhookEndpointRow | null> {
  const { events, models, payload, dialect, maxInFlight, maxPerSecond, headers, description, isActive } =
    changes;
  const values = [
    id,
    organizationId,
    isActive ?? null,
    events ?? null,
    models ?? null,
    payload ?? null,
    maxInFlight ?? null,
    description ?? null,
    orWord(maxPerSecond, 0),
    orWord(headers, ''),
    dialect ?? null,
  ];
  const [row] = await runStatement<WebhookEndpointRow>(
    db.pool,
    'update_webhook_endpoint',
    updateWebhookEndpointSql,
    values,
  );
  return row ?? null;
}

/** Null keeps a value, so a value that becomes null is passed as `word`. */
function orWord<Value>(change: Value | null | undefined, word: Value): Value | null {
  return change === undefined ? null : (change ?? word);
}

// Deliveries are locked in order of id, as everywhere.
const updateWebhookEndpointSql = `WITH updated AS (
    UPDATE webhook_endpoints SET
      events = coalesce($4, events),
      models = coalesce($5, models),
      payload = coalesce($6, payload),
      dialect = coalesce($11, dialect),
      max_in_flight = coalesce($7, max_in_flight),
      description = coalesce($8, description),
      max_per_second = nullif(coalesce($9, max_per_second), 0),
      headers = nullif(coalesce($10, headers), ''),
      is_active = coalesce($3, is_active),
      failure_count = CASE WHEN $3 THEN 0 ELSE failure_count END,
      probe_at = CASE WHEN $3 THEN NULL ELSE probe_at END,
      missed = CASE WHEN $3 IS NULL THEN missed ELSE missed * tstzmultirange(tstzrange(NULL,
        now() + CASE WHEN $3 THEN interval '1 minute' ELSE interval '0' END)) END
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING *
  ), waiting AS MATERIALIZED (
    SELECT d.id FROM deliveries d JOIN updated ON d.lane = updated.id
    WHERE $3 AND d.state = 'pending' AND d.next_attempt_at > now() ORDER BY d.id FOR UPDATE OF d
  ), due AS (
    UPDATE deliveries d SET next_attempt_at = now() WHERE d.id = ANY (ARRAY (SELECT id FROM waiting))
  )
  SELECT ${shownColumnsSql} FROM updated`;

/** Also deletes its secrets and pending deliveries; false when the endpoint is missing. */
export async function removeWebhookEndpoint(
  db: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await runStatement(db.pool, 'remove_webhook_endpoint', removeWebhookEndpointSql, [
    id,
    organizationId,
  ]);
  return rows.length > 0;
}

// Deliveries are locked in order of id, as everywhere.
const removeWebhookEndpointSql = `WITH removed AS (
    UPDATE webhook_endpoints SET deleted_at = now(), is_active = false, headers = NULL, secret = '',
      previous_secret = NULL, previous_secret_until = NULL
    WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
    RETURNING id
  ), waiting AS MATERIALIZED (
    SELECT d.id FROM deliveries d JOIN removed ON d.lane = removed.id WHERE d.state = 'pending'
    ORDER BY d.id FOR UPDATE OF d
  ), dropped AS (
    UPDATE deliveries d SET state = 'failed', finished_at = now(), next_attempt_at = NULL
    WHERE d.id = ANY (ARRAY (SELECT id FROM waiting))
  )
  SELECT id FROM removed`;

export type TestTarget = SigningSecrets & { url: string; headers: string | null; endpointDialect: string };

export async function getTestTarget(
  db: Database,
  organizationId: string,
  endpointId: string,
): Promise<TestTarget | null> {
  const values = [endpointId, organizationId];
  const [target] = await runStatement<TestTarget>(db.pool, 'get_test_target', getTestTargetSql, values);
  return target ?? null;
}

const getTestTargetSql = `SELECT w.url, w.headers, w.dialect AS "endpointDialect", ${signingSecretsSql('w', 'secret')} FROM webhook_endpoints w
  WHERE w.id = $1 AND w.organization_id = $2 AND w.deleted_at IS NULL`;
