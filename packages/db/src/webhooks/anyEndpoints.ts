import type { Database } from '../client.ts';
import { type Condition, givenConditions, literally, runStatement } from '../statement.ts';
import { shownColumnsSql, type WebhookEndpointRow } from './endpoints.ts';

/** `failing`: active, and failures were reported; `deactivated`: by failures; `inactive`: by anyone. */
export const endpointStates = ['active', 'failing', 'deactivated', 'inactive'] as const;
export type EndpointState = (typeof endpointStates)[number];

export type AnyEndpointRow = WebhookEndpointRow & {
  organizationId: string;
  /** Open requests that the endpoint has been found to take; null: unknown. */
  inFlightLimit: number | null;
};

export type EndpointSearch = {
  organizationId?: string | undefined;
  state?: EndpointState | undefined;
  /** Part of the URL or of the description. */
  text?: string | undefined;
  cursor?: string | undefined;
};

/** Each page looks at this many endpoints at most, however few of them match. */
const searchedPerPage = 20_000;

const columns = `${shownColumnsSql}, organization_id AS "organizationId", in_flight_limit AS "inFlightLimit"`;

/** Endpoints of any organization, newest first. `reached`: the oldest that was looked at when there may be more. */
export async function searchEndpoints(
  db: Database,
  search: EndpointSearch,
  limit: number,
): Promise<{ rows: AnyEndpointRow[]; reached: string | null }> {
  const { state, text, cursor, organizationId } = search;
  const slice = givenConditions(sliceConditions, { cursor, organizationId }, 1);
  // Few endpoints fail, and they have an index.
  const failing = state === 'failing' || state === 'deactivated' ? ' AND failing_since IS NOT NULL' : '';
  const source = `webhook_endpoints WHERE deleted_at IS NULL${failing}${slice.sql} ORDER BY id DESC`;
  const found = text === undefined ? undefined : `%${literally(text)}%`;
  const match = givenConditions(matchConditions, { text: found }, 2 + slice.values.length);
  const values = [searchedPerPage, ...slice.values, limit, ...match.values];
  const stateSql = state === undefined ? '' : ` AND ${stateConditions[state]}`;
  const sql = `SELECT ${columns} FROM (SELECT * FROM ${source} LIMIT $1) w
    WHERE true${match.sql}${stateSql} ORDER BY id DESC LIMIT $${2 + slice.values.length}`;
  const name = `search_endpoints_${slice.key}_${match.key}_${state}`;
  const rows = await runStatement<AnyEndpointRow>(db.pool, name, sql, values);
  if (rows.length >= limit) return { rows, reached: null };
  const [last] = await runStatement<{ id: string }>(
    db.pool,
    `search_endpoints_reached_${slice.key}_${failing.length}`,
    `SELECT id FROM ${source} OFFSET $1 - 1 LIMIT 1`,
    [searchedPerPage, ...slice.values],
  );
  return { rows, reached: last?.id ?? null };
}

const sliceConditions: Condition<Pick<EndpointSearch, 'cursor' | 'organizationId'>>[] = [
  { name: 'cursor', sql: 'id < ?' },
  { name: 'organizationId', sql: 'organization_id = ?' },
];

const matchConditions: Condition<Pick<EndpointSearch, 'text'>>[] = [
  { name: 'text', sql: '(url ILIKE ? OR description ILIKE ?)' },
];

const stateConditions: Readonly<Record<EndpointState, string>> = {
  active: 'is_active',
  failing: 'is_active',
  deactivated: 'NOT is_active',
  inactive: 'NOT is_active',
};

export async function getAnyEndpoint(db: Database, id: string): Promise<AnyEndpointRow | null> {
  const [row] = await runStatement<AnyEndpointRow>(db.pool, 'get_any_endpoint', getSql, [id]);
  return row ?? null;
}

const getSql = `SELECT ${columns} FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL`;

export type EndpointActivity = {
  attempts: number;
  succeeded: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

const none: EndpointActivity = { attempts: 0, succeeded: 0, p50Ms: null, p95Ms: null };

/** Finished attempts of at most 200 deliveries, among the newest 1,000 of each endpoint within 24 hours. */
export async function readEndpointActivity(
  db: Database,
  ids: readonly string[],
): Promise<(id: string) => EndpointActivity> {
  const rows = await runStatement<EndpointActivity & { id: string }>(
    db.pool,
    'read_endpoint_activity',
    activitySql,
    [ids],
  );
  const byId = new Map(rows.map(({ id, ...activity }) => [id, activity]));
  return (id) => byId.get(id) ?? none;
}

// One look-up per endpoint by its index, and one or two per delivery by the primary key.
const activitySql = `SELECT w.id, count(*)::float8 AS attempts, count(*) FILTER (WHERE a.error IS NULL)::float8 AS succeeded,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) AS "p50Ms",
    percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) AS "p95Ms"
  FROM unnest($1::text[]) AS w (id)
  CROSS JOIN LATERAL (
    SELECT n.id FROM (
      SELECT d.id, d.attempts FROM deliveries d
      WHERE d.endpoint_id = w.id AND d.created_at >= now() - interval '24 hours'
      ORDER BY d.created_at DESC LIMIT 1000
    ) n
    WHERE n.attempts > 0 OR (SELECT true FROM delivery_attempts x WHERE x.delivery_id = n.id LIMIT 1) LIMIT 200
  ) d
  CROSS JOIN LATERAL (
    SELECT x.error, x.duration_ms FROM delivery_attempts x
    WHERE x.delivery_id = d.id AND x.duration_ms IS NOT NULL ORDER BY x.number DESC LIMIT 50
  ) a
  GROUP BY w.id`;
