import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export type StoredCallback = {
  id: string;
  token: string;
  headers: Record<string, string>;
  body: Buffer;
  receivedAtMs: number;
  /** Whether the attempt it names has ended: then there is nothing to learn from it. */
  finished: boolean;
  /** Whether its execution was erased: then it must not stay here. */
  erased: boolean;
  executionId: string;
  organizationId: string;
  model: string;
  /** The execution's place in a trace. */
  traceparent: string | null;
  /** Where the attempt was sent. */
  connection: string;
  target: string;
  handle: ({ externalId: string } & Record<string, string>) | null;
};

/** A callback that waits in the inbox, with the attempt it names; null when it was processed. */
export async function readCallback(db: Database, id: string): Promise<StoredCallback | null> {
  const [callback] = await runStatement<StoredCallback>(db.pool, 'read_callback', read, [id]);
  return callback ?? null;
}

/** The callbacks of an attempt that wait in the inbox, the first one first. */
export async function pendingCallbacks(db: Database, attemptId: string): Promise<string[]> {
  const rows = await runStatement<{ id: string }>(db.pool, 'waiting_callbacks', waiting, [attemptId]);
  return rows.map(({ id }) => id);
}

export async function markCallbackProcessed(db: Database, id: string): Promise<void> {
  await runStatement(db.pool, 'mark_callback_processed', mark, [id]);
}

/** Takes a callback out of the inbox with all that it says. */
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
  /** Of the attempt it is about, and whom that was sent to. */
  token: string;
  provider: string;
  /** The same callback, sent again, has the same one. */
  eventKey: string;
  headers: Record<string, string>;
  body: Buffer;
};

/** `unknown`: its token is that of no attempt at this provider. `full`: so many wait already that nobody honest has sent them. */
export type InboxState = 'free' | 'unknown' | 'full';

/** Whoever has got hold of one token must not be able to fill the database. */
const mostOfAttempt = 32;

/** Whether a callback would be kept; asked before its body is read. */
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

/**
 * Puts a callback into the inbox, once, if there is room. Nothing is stored of what comes when the attempt is settled:
 * nobody would learn anything from it.
 */
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
