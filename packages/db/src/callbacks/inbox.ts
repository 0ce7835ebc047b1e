import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

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

const mark = `UPDATE provider_callbacks SET processed_at = now() WHERE id = $1`;

const drop = `DELETE FROM provider_callbacks WHERE id = $1`;
