import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type StoredCallback = {
  id: string;
  token: string;
  headers: Record<string, string>;
  body: Buffer;
  receivedAtMs: number;
  finished: boolean;
  erased: boolean;
  executionId: string;
  organizationId: string;
  model: string;
  traceparent: string | null;
  connection: string;
  target: string;
  handle: ({ externalId: string } & Record<string, string>) | null;
};

export async function readCallback(db: Database, id: string): Promise<StoredCallback | null> {
  const [callback] = await runStatement<StoredCallback>(db.pool, 'read_callback', read, [id]);
  return callback ?? null;
}

export async function pendingCallbacks(db: Database, attemptId: string): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'waiting_callbacks', waiting, [attemptId]);
  return rows.map(({ id }) => id);
}

export async function markCallbackProcessed(db: Database, id: string): Promise<void> {
  await runStatement(db.pool, 'mark_callback_processed', mark, [id]);
}

export async function dropCallback(db: Database, id: string): Promise<void> {
  await runStatement(db.pool, 'drop_callback', drop, [id]);
}

const read = `
SELECT c.id, c.token, c.headers, c.body, (extract(epoch FROM c.received_at) * 1000)::float8 AS "receivedAtMs",
  a.finished_at IS NOT NULL AS finished,
  e.erased_at IS NOT NULL AS erased, e.id AS "executionId",
  e.organization_id AS "organizationId", e.model, e.traceparent, a.provider AS connection, a.target, a.handle
FROM provider_callbacks c JOIN attempts a ON a.token = c.token JOIN executions e ON e.id = a.execution_id
WHERE c.id = $1 AND c.processed_at IS NULL`;

const waiting = `
SELECT c.id FROM attempts a JOIN provider_callbacks c ON c.provider = a.provider AND c.token = a.token
WHERE a.id = $1 AND c.processed_at IS NULL ORDER BY c.received_at`;

const mark = `UPDATE provider_callbacks SET processed_at = now() WHERE id = $1`;

const drop = `DELETE FROM provider_callbacks WHERE id = $1`;

export type NewCallback = {
  id: string;
  token: string;
  provider: string;
  eventKey: string;
  headers: Record<string, string>;
  body: Buffer;
};

/** `unknown`: no attempt at this provider has the token. `full`: more are pending than an honest provider sends. */
export type InboxState = 'free' | 'unknown' | 'full';

/** Limits what a leaked token can write. */
const mostOfAttempt = 32;

export async function readInboxState(
  db: Database,
  { token, provider }: Pick<NewCallback, 'token' | 'provider'>,
): Promise<InboxState> {
  const [room] = await runStatement<{ room: InboxState }>(db.pool, 'room_for_callback', ask, [
    token,
    mostOfAttempt,
    provider,
  ]);
  return room?.room ?? 'unknown';
}

export async function storeCallback(db: Database, callback: NewCallback): Promise<InboxState> {
  const { id, token, provider, eventKey, headers, body } = callback;
  const [room] = await runStatement<{ room: InboxState }>(db.pool, 'store_callback', statement, [
    token,
    mostOfAttempt,
    provider,
    id,
    eventKey,
    JSON.stringify(headers),
    body,
  ]);
  return room?.room ?? 'unknown';
}

const attempt = `
  SELECT a.provider, a.token, a.settled_at,
    CASE WHEN a.settled_at IS NULL AND kept.number >= $2::int THEN 'full' ELSE 'free' END AS room
  FROM attempts a CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM provider_callbacks c WHERE c.provider = a.provider AND c.token = a.token
  ) kept
  WHERE a.token = $1 AND a.provider = $3`;

const ask = `SELECT room FROM (${attempt}) attempt`;

const statement = `
WITH attempt AS (${attempt}),
stored AS (
  INSERT INTO provider_callbacks (id, provider, token, event_key, headers, body)
  SELECT $4, provider, token, $5, $6::jsonb, $7::bytea FROM attempt WHERE settled_at IS NULL AND room = 'free'
  ON CONFLICT DO NOTHING
)
SELECT room FROM attempt`;
