import type { Attention, AttentionCode } from '@holdfast/domain/attention';
import { newId } from '@holdfast/domain/ids';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';
import { inTransaction, runStatement } from './statement.ts';

export type Alert = {
  id: string;
  code: AttentionCode;
  /** Empty: none. */
  subject: string;
  count: number | null;
  ageS: number | null;
  foundAt: Date;
};

export type AlertChanges<One = Alert> = { raised: One[]; resolved: One[] };

export type AlertRules = {
  /** Seconds: how old a finding is when it is raised, and how long an alert has been missing when it is resolved. */
  raiseAfterS: number;
  resolveAfterS: number;
  /** Whether these still exist is unknown: they stay as they are. */
  unknown: readonly AttentionCode[];
};

/**
 * Compares what was found with the open alerts, and writes the messages about what changed, one for each receiver, in the
 * same transaction. At most one process does so at a time; the others return at once.
 */
export async function updateAlerts(
  db: Database,
  found: readonly Attention[],
  rules: AlertRules,
  receivers: readonly string[],
  contentOf: (changes: AlertChanges) => object,
): Promise<AlertChanges> {
  return await inTransaction(db, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(lockSql);
    if (!rows[0]?.locked) return { raised: [], resolved: [] };
    await noteFound(client, found, rules.unknown);
    const raised = await runStatement<Alert>(client, 'raise_alerts', raiseSql, [rules.raiseAfterS]);
    const resolved = await runStatement<Alert>(client, 'resolve_alerts', resolveSql, [rules.resolveAfterS]);
    await runStatement(client, 'forget_findings', forgetSql, [rules.resolveAfterS]);
    if (raised.length + resolved.length > 0)
      await addMessages(client, receivers, contentOf({ raised, resolved }), null);
    return { raised, resolved };
  });
}

const lockSql = `SELECT pg_try_advisory_xact_lock(hashtext('holdfast alerts')) AS locked`;

const columns = `id, code, subject, count, age_s AS "ageS", found_at AS "foundAt"`;

async function noteFound(
  client: PoolClient,
  found: readonly Attention[],
  unknown: readonly AttentionCode[],
): Promise<void> {
  const list = (of: (item: Attention) => unknown) => found.map(of);
  const [codes, subjects] = [list(({ code }) => code), list(({ subject }) => subject ?? '')];
  const facts = [list(({ count }) => count), list(({ ageS }) => ageS)];
  const ids = list(() => newId('alert'));
  await runStatement(client, 'note_found_alerts', foundSql, [ids, codes, subjects, ...facts]);
  await runStatement(client, 'note_missing_alerts', missingSql, [codes, subjects, unknown]);
}

const foundSql = `INSERT INTO alerts (id, code, subject, count, age_s)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[])
ON CONFLICT (code, subject) WHERE resolved_at IS NULL
DO UPDATE SET count = excluded.count, age_s = excluded.age_s, missing_at = NULL`;

const missingSql = `UPDATE alerts a SET missing_at = now()
WHERE resolved_at IS NULL AND missing_at IS NULL AND NOT code = ANY ($3::text[]) AND NOT EXISTS (
  SELECT FROM unnest($1::text[], $2::text[]) AS f (code, subject) WHERE f.code = a.code AND f.subject = a.subject)`;

const raiseSql = `UPDATE alerts SET raised_at = now()
WHERE resolved_at IS NULL AND raised_at IS NULL AND missing_at IS NULL
  AND found_at <= now() - $1 * interval '1 second' RETURNING ${columns}`;

const isOver = `resolved_at IS NULL AND missing_at <= now() - $1 * interval '1 second'`;

const resolveSql = `UPDATE alerts SET resolved_at = now() WHERE raised_at IS NOT NULL AND ${isOver} RETURNING ${columns}`;

/** What ended before it was raised needs no message. */
const forgetSql = `DELETE FROM alerts WHERE raised_at IS NULL AND ${isOver}`;

async function addMessages(
  client: Pick<PoolClient, 'query'>,
  receivers: readonly string[],
  content: object,
  testId: string | null,
): Promise<void> {
  const ids = receivers.map(() => newId('evt'));
  await runStatement(client, 'add_alert_messages', addSql, [ids, receivers, JSON.stringify(content), testId]);
}

const addSql = `INSERT INTO alert_messages (id, receiver, content, test_id)
SELECT id, receiver, $3::json, $4 FROM unnest($1::text[], $2::text[]) AS m (id, receiver)`;

export type AlertMessage<Content> = {
  id: string;
  receiver: string;
  testId: string | null;
  content: Content;
  createdAt: Date;
  /** With this one. */
  attempts: number;
};

/** Due messages, which no other process sends for `leaseS`. */
export async function claimAlertMessages<Content>(
  db: Database,
  leaseS: number,
): Promise<AlertMessage<Content>[]> {
  return await runStatement<AlertMessage<Content>>(db.pool, 'claim_alert_messages', claimSql, [leaseS]);
}

const claimSql = `UPDATE alert_messages SET attempts = attempts + 1, next_attempt_at = now() + $1 * interval '1 second'
WHERE id IN (SELECT id FROM alert_messages WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 20
  FOR UPDATE SKIP LOCKED)
RETURNING id, receiver, test_id AS "testId", content, created_at AS "createdAt", attempts`;

/** Null: it was sent. `retryAfterS` null: it is given up. Nothing happens if another process has claimed it since. */
export async function recordAlertMessage(
  db: Database,
  { id, attempts }: { id: string; attempts: number },
  failure: { error: string; retryAfterS: number | null } | null,
): Promise<void> {
  const values = [id, attempts, failure?.error ?? null, failure?.retryAfterS ?? null];
  await runStatement(db.pool, 'record_alert_message', recordSql, values);
}

const recordSql = `UPDATE alert_messages SET error = $3, next_attempt_at = now() + $4::float8 * interval '1 second',
  sent_at = CASE WHEN $3::text IS NULL THEN now() END WHERE id = $1 AND attempts = $2`;

/** Addresses a test to each receiver, once. */
export async function addressTest(
  db: Database,
  test: AlertMessage<object>,
  receivers: readonly string[],
): Promise<void> {
  await inTransaction(db, async (client) => {
    const taken = await client.query(`DELETE FROM alert_messages WHERE id = $1 AND attempts = $2`, [
      test.id,
      test.attempts,
    ]);
    if (taken.rowCount === 1) await addMessages(client, receivers, test.content, test.testId);
  });
}

/** The receiver of a test that no sender has addressed yet. */
export const allReceivers = 'all';

/** Returns the id of the test, whose messages `readTest` reads. */
export async function requestTest(db: Database): Promise<string> {
  const testId = newId('evt');
  await addMessages(db.pool, [allReceivers], { raised: [], resolved: [] }, testId);
  return testId;
}

export type TestMessage = { receiver: string; isSent: boolean; attempts: number; error: string | null };

export async function readTest(db: Database, testId: string): Promise<TestMessage[]> {
  return await runStatement<TestMessage>(db.pool, 'read_alert_test', readTestSql, [testId]);
}

const readTestSql = `SELECT receiver, sent_at IS NOT NULL AS "isSent", attempts, error FROM alert_messages
WHERE test_id = $1 ORDER BY receiver`;

/** A sender that starts later does not send it. */
export async function dropTest(db: Database, testId: string): Promise<void> {
  await db.pool.query('DELETE FROM alert_messages WHERE test_id = $1 AND next_attempt_at IS NOT NULL', [
    testId,
  ]);
}

/** Removes what ended before this many days. */
export async function dropOldAlerts(db: Database, days: number): Promise<void> {
  await db.pool.query(`DELETE FROM alerts WHERE resolved_at < now() - $1 * interval '1 day'`, [days]);
  await db.pool.query(
    `DELETE FROM alert_messages WHERE next_attempt_at IS NULL AND created_at < now() - $1 * interval '1 day'`,
    [days],
  );
}
