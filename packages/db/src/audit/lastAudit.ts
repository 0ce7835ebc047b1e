import type { Database, Queryable } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { Breach } from './audit.ts';

export type LastAudit = {
  /** Unix seconds, by the database's clock. */
  finishedAtS: number;
  /** How many rows break each invariant; one that is not named holds. */
  breaches: Record<string, number>;
};

/** What the last audit found, whichever instance ran it; null when there was none yet. */
export async function readLastAudit(db: Database): Promise<LastAudit | null> {
  const [last] = await runStatement<LastAudit>(db.pool, 'last_audit', read, []);
  return last ?? null;
}

export async function isAuditDue(client: Queryable, intervalS: number): Promise<boolean> {
  const recent = await runStatement(client, 'recent_audit', recently, [intervalS]);
  return recent.length === 0;
}

export async function recordAudit(db: Database, breaches: Breach[]): Promise<void> {
  const counts: Record<string, number> = {};
  for (const { invariant } of breaches) counts[invariant] = (counts[invariant] ?? 0) + 1;
  await runStatement(db.pool, 'record_audit', record, [JSON.stringify(counts)]);
}

const read = `SELECT extract(epoch FROM finished_at)::float8 AS "finishedAtS", breaches FROM ledger_audits`;

const recently = `SELECT FROM ledger_audits WHERE finished_at > now() - $1::int * interval '1 second'`;

const record = `INSERT INTO ledger_audits (finished_at, breaches) VALUES (now(), $1::jsonb)
  ON CONFLICT (id) DO UPDATE SET finished_at = excluded.finished_at, breaches = excluded.breaches`;
