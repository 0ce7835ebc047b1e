import { withoutOutputSql } from '../attempts/storedOutcome.ts';
import type { Database } from '../client.ts';
import { inTransaction, runStatement } from '../statement.ts';
import { stageSql } from '../webhooks/attempts.ts';
import { eventIdsOfExecutionSql, isDeliveryOfExecutionSql } from './watch.ts';

/**
 * Erases inputs, outputs and their traces of an ended execution; status, times and money stay. Repeatable; false when
 * it is another organization's or still open. Pending deliveries expire, and logged responses and errors that could
 * repeat data are cleared. Attempts count as settled; a running one keeps its handle until the provider has stopped
 * it. Outputs expire; uploads may serve other executions and stay.
 */
export async function eraseExecution(db: Database, organizationId: string, id: string): Promise<boolean> {
  const isErased = await inTransaction(db, async (client) => {
    const erased = await runStatement(client, 'erase_execution', execution, [id, organizationId]);
    if (erased.length === 0) return false;
    // In sequence: each statement sees what was committed before it got its locks.
    for (const [name, text] of Object.entries(traces)) await runStatement(client, name, text, [id]);
    return true;
  });
  // A callback that arrived meanwhile; one read before the commit is handled by its reader.
  if (isErased) await runStatement(db.pool, 'erase_callbacks', traces.erase_callbacks, [id]);
  return isErased;
}

const execution = `
UPDATE executions SET erased_at = coalesce(erased_at, now()), input = '{}', metadata = NULL, webhook_url = NULL,
  output = NULL, error_message = NULL, logs = NULL
WHERE id = $1 AND organization_id = $2 AND completed_at IS NOT NULL RETURNING id`;

const events = eventIdsOfExecutionSql('$1');

// Rows are locked in order of id, as everywhere.
const traces = {
  erase_events: `
WITH locked AS (SELECT id FROM events WHERE id IN (${events}) ORDER BY id FOR UPDATE)
UPDATE events v SET body = NULL, fanned_out_at = coalesce(v.fanned_out_at, now())
FROM locked WHERE v.id = locked.id AND v.id IN (${events})`,

  erase_deliveries: `
WITH locked AS (
  SELECT d.id, d.state, d.endpoint_id FROM deliveries d WHERE ${isDeliveryOfExecutionSql('d', '$1')} ORDER BY d.id FOR UPDATE
)
UPDATE deliveries d SET next_attempt_at = NULL, lease_until = NULL,
  state = CASE locked.state WHEN 'pending' THEN 'expired' ELSE locked.state END, finished_at = coalesce(d.finished_at, now()),
  url = CASE WHEN locked.endpoint_id IS NULL THEN '' ELSE d.url END,
  lane = CASE WHEN locked.endpoint_id IS NULL THEN d.organization_id ELSE d.lane END
FROM locked WHERE d.id = locked.id AND ${isDeliveryOfExecutionSql('d', '$1')}`,

  erase_responses: `
UPDATE delivery_attempts a SET answer = NULL, error = CASE WHEN d.endpoint_id IS NULL THEN ${stageSql('a')} ELSE a.error END
FROM deliveries d WHERE ${isDeliveryOfExecutionSql('d', '$1')} AND a.delivery_id = d.id
  AND (a.answer IS NOT NULL OR d.endpoint_id IS NULL)`,

  erase_attempts: `
WITH locked AS (SELECT id FROM attempts WHERE execution_id = $1 ORDER BY id FOR UPDATE)
UPDATE attempts a SET outcome = ${withoutOutputSql('a.outcome')}, output = NULL, settled_at = coalesce(a.settled_at, now()),
  raw_error = NULL, raw_logs = NULL, handle = CASE WHEN a.finished_at IS NULL THEN a.handle END
FROM locked WHERE a.id = locked.id AND a.execution_id = $1`,

  // The stream before its events, as where they are cleared.
  erase_shown_text: `UPDATE streams SET partial_output = NULL WHERE execution_id = $1`,

  erase_stream: `DELETE FROM stream_events WHERE execution_id = $1`,

  erase_files: `UPDATE files SET expires_at = least(expires_at, now()) WHERE execution_id = $1 AND state <> 'deleted'`,

  erase_callbacks: `
DELETE FROM provider_callbacks c USING attempts a
WHERE a.execution_id = $1 AND c.provider = a.provider AND c.token = a.token`,
};
