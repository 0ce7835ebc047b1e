import type { Database } from './client.ts';
import { type ModelVersions, versionsSql } from './models.ts';
import { checkedSql, runStatement } from './statement.ts';

export type StoredCallback = {
  id: string;
  token: string;
  headers: Record<string, string>;
  /** Null: it is in the object store, under `objectKey`. */
  body: Buffer | null;
  objectKey: string | null;
  receivedAtMs: number;
  /** Nothing is learned from a callback once the attempt it names has ended. */
  finished: boolean;
  /** The callback of an erased execution must not stay here. */
  erased: boolean;
  executionId: string;
  organizationId: string;
  model: string;
  traceparent: string | null;
  connection: string;
  target: string;
  versions: ModelVersions;
  handle: ({ externalId: string } & Record<string, string>) | null;
};

/** An unprocessed callback of the inbox, with the attempt it names; null when it was processed. */
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
SELECT c.id, c.token, c.headers, c.body, c.object_key AS "objectKey",
  (extract(epoch FROM c.received_at) * 1000)::float8 AS "receivedAtMs",
  a.finished_at IS NOT NULL AS finished,
  e.erased_at IS NOT NULL AS erased, e.id AS "executionId",
  e.organization_id AS "organizationId", e.model, e.traceparent, a.provider AS connection, a.target, ${versionsSql}, a.handle
FROM provider_callbacks c CROSS JOIN LATERAL (SELECT * FROM attempts WHERE token = c.token OFFSET 0) a
  CROSS JOIN LATERAL (SELECT * FROM executions WHERE id = a.execution_id OFFSET 0) e
WHERE c.id = $1 AND ${checkedSql('c.processed_at IS NULL')}`;

const waiting = `
SELECT c.id FROM attempts a CROSS JOIN LATERAL (
  SELECT * FROM provider_callbacks WHERE provider = a.provider AND token = a.token OFFSET 0
) c
WHERE a.id = $1 AND c.processed_at IS NULL ORDER BY c.received_at`;

const mark = `UPDATE provider_callbacks SET processed_at = now() WHERE id = $1`;

const drop = `DELETE FROM provider_callbacks WHERE id = $1`;

/** The attempt that a callback claims to be about, and whom that was sent to. */
export type CallbackAddress = { token: string; provider: string };

export type NewCallback = CallbackAddress & {
  id: string;
  /** A repeat of the same callback has the same key. */
  eventKey: string;
  headers: Record<string, string>;
} & ({ body: Buffer; objectKey?: undefined } | { body: null; objectKey: string });

/** `unknown`: no attempt at this provider has the token. `full`: no honest provider sends as many. */
export type InboxState = 'free' | 'unknown' | 'full';

/** A client that has got hold of one token must not be able to fill the database, nor the object store. */
const maxCallbacksOfAttempt = 32;
const maxLargeCallbacksOfAttempt = 4;

/** Whether a callback would be kept; to be called before its body is read. */
export async function readInboxState(
  db: Database,
  { token, provider }: CallbackAddress,
): Promise<InboxState> {
  const values = [token, maxCallbacksOfAttempt, provider, null];
  const [found] = await runStatement<{ room: InboxState }>(db.pool, 'room_for_callback', roomSql, values);
  return found?.room ?? 'unknown';
}

export type CalledBackAttempt = {
  room: 'free' | 'full';
  isSettled: boolean;
  executionId: string;
  organizationId: string;
};

/** The attempt of a large callback, with the room for one; null: there is no such attempt at this provider. */
export async function calledBackAttempt(
  db: Database,
  { token, provider }: CallbackAddress,
): Promise<CalledBackAttempt | null> {
  const values = [token, maxCallbacksOfAttempt, provider, maxLargeCallbacksOfAttempt];
  const [found] = await runStatement<CalledBackAttempt>(db.pool, 'called_back_attempt', attemptSql, values);
  return found ?? null;
}

/** Stores it once, if there is room. `isStored`: false for a repeat or a settled attempt (nothing is learned of it). */
export async function storeCallback(
  db: Database,
  callback: NewCallback,
): Promise<{ room: InboxState; isStored: boolean }> {
  const { id, token, provider, eventKey, headers, body, objectKey } = callback;
  const [found] = await runStatement<{ room: InboxState; isStored: boolean }>(
    db.pool,
    'store_callback',
    storeSql,
    [
      token,
      maxCallbacksOfAttempt,
      provider,
      objectKey === undefined ? null : maxLargeCallbacksOfAttempt,
      id,
      eventKey,
      JSON.stringify(headers),
      body,
      objectKey ?? null,
    ],
  );
  return found ?? { room: 'unknown', isStored: false };
}

const attempt = `
  SELECT a.provider, a.token, a.execution_id, a.settled_at,
    CASE WHEN a.settled_at IS NULL AND (kept.number >= $2::int OR kept.large >= $4::int) THEN 'full' ELSE 'free' END AS room
  FROM attempts a CROSS JOIN LATERAL (
    SELECT count(*) AS number, count(c.object_key) AS large
    FROM provider_callbacks c WHERE c.provider = a.provider AND c.token = a.token
  ) kept
  WHERE a.token = $1 AND a.provider = $3`;

const roomSql = `SELECT room FROM (${attempt}) attempt`;

const attemptSql = `
SELECT t.room, t.settled_at IS NOT NULL AS "isSettled", e.id AS "executionId", e.organization_id AS "organizationId"
FROM (${attempt}) t CROSS JOIN LATERAL (
  SELECT id, organization_id FROM executions WHERE id = t.execution_id LIMIT 1
) e`;

const storeSql = `
WITH attempt AS (${attempt}),
stored AS (
  INSERT INTO provider_callbacks (id, provider, token, event_key, headers, body, object_key)
  SELECT $5, provider, token, $6, $7::jsonb, $8::bytea, $9 FROM attempt WHERE settled_at IS NULL AND room = 'free'
  ON CONFLICT DO NOTHING RETURNING token
)
SELECT room, EXISTS (SELECT FROM stored) AS "isStored" FROM attempt`;
