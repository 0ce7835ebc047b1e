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

/**
 * Puts a callback into the inbox, once; whether its token is that of an attempt, for else nothing is stored. Nor is what
 * comes when the attempt is settled: nobody would learn anything from it.
 */
export async function storeCallback(db: Database, callback: NewCallback): Promise<boolean> {
  const { id, token, eventKey, headers, body } = callback;
  const attempts = await runStatement(db.pool, 'store_callback', statement, [
    id,
    token,
    eventKey,
    JSON.stringify(headers),
    body,
  ]);
  return attempts.length > 0;
}

const statement = `
WITH attempt AS (SELECT provider, token, settled_at FROM attempts WHERE token = $2),
stored AS (
  INSERT INTO provider_callbacks (id, provider, token, event_key, headers, body)
  SELECT $1, provider, token, $3, $4::jsonb, $5::bytea FROM attempt WHERE settled_at IS NULL ON CONFLICT DO NOTHING
)
SELECT token FROM attempt`;
