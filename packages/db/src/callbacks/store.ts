import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type NewCallback = {
  id: string;
  /** Of the attempt it is about. */
  token: string;
  /** The same callback, sent again, has the same one. */
  eventKey: string;
  headers: Record<string, string>;
  body: Buffer;
};

/** `unknown`: its token is that of no attempt. `full`: so many wait already that nobody honest has sent them. */
export type Room = 'free' | 'unknown' | 'full';

/** Whoever has got hold of one token must not be able to fill the database. */
const mostOfAttempt = 32;

/** Whether a callback with this token would be kept; asked before its body is read. */
export async function roomForCallback(db: Database, token: string): Promise<Room> {
  const [room] = await runStatement<{ room: Room }>(db.pool, 'room_for_callback', ask, [
    token,
    mostOfAttempt,
  ]);
  return room?.room ?? 'unknown';
}

/**
 * Puts a callback into the inbox, once, if there is room. Nothing is stored of what comes when the attempt is settled:
 * nobody would learn anything from it.
 */
export async function storeCallback(db: Database, callback: NewCallback): Promise<Room> {
  const { id, token, eventKey, headers, body } = callback;
  const [room] = await runStatement<{ room: Room }>(db.pool, 'store_callback', statement, [
    token,
    mostOfAttempt,
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
  WHERE a.token = $1`;

const ask = `SELECT room FROM (${attempt}) attempt`;

const statement = `
WITH attempt AS (${attempt}),
stored AS (
  INSERT INTO provider_callbacks (id, provider, token, event_key, headers, body)
  SELECT $3, provider, token, $4, $5::jsonb, $6::bytea FROM attempt WHERE settled_at IS NULL AND room = 'free'
  ON CONFLICT DO NOTHING
)
SELECT room FROM attempt`;
