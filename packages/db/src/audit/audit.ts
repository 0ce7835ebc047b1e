import type { PoolClient } from 'pg';
import type { Database, Queryable } from '../client.ts';
import { inTransaction, runStatement } from '../statement.ts';
import { executionInvariants } from './executions.ts';
import { guardInvariants, journalInvariants } from './journal.ts';

/** What must hold of the ledger at any moment: each query names the rows that break it. */
export const invariants = { ...journalInvariants, ...executionInvariants, ...guardInvariants } as const;

export type Invariant = keyof typeof invariants;

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

async function isAuditDue(client: Queryable, intervalS: number): Promise<boolean> {
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

/** A row that breaks an invariant. */
export type Breach = { invariant: Invariant; id: string; found: string };

/** An invariant that has been checked; no more than `mostPerInvariant` rows that break it are named. */
export type CheckedInvariant = { invariant: Invariant; breaches: Breach[]; areMore: boolean; tookMs: number };

export const maxBreachesPerInvariant = 100;
const hourMs = 3_600_000;

/**
 * Checks every invariant of the ledger in one snapshot, and tells of each as it is checked: safe to run during load.
 * @throws when the database is not reached, or this login may not read all of the books
 */
export async function auditLedger(
  db: Pick<Database, 'pool'>,
  onChecked?: (checked: CheckedInvariant) => void,
): Promise<Breach[]> {
  return await inTransaction(db, async (client) => {
    await openSnapshot(client);
    return await checkInvariants(client, onChecked);
  });
}

/**
 * The audit of all instances together: one every `intervalS`, one at a time. Null when none is due, or another instance
 * is at it; should that one die, its lock ends with it, and the next to ask does the audit.
 */
export async function auditWhenDue(db: Database, intervalS: number): Promise<Breach[] | null> {
  return await inTransaction(db, async (client) => {
    await openSnapshot(client);
    const { rows } = await client.query<{ locked: boolean }>(lock);
    if (!rows[0]?.locked || !(await isAuditDue(client, intervalS))) return null;
    const breaches = await checkInvariants(client);
    // Before the lock is given back, and therefore beside this transaction, which only reads.
    await recordAudit(db, breaches);
    return breaches;
  });
}

const lock = `SELECT pg_try_advisory_xact_lock(hashtext('holdfast ledger audit')) AS locked`;

async function openSnapshot(client: PoolClient): Promise<void> {
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(settings);
  // Before the snapshot is taken: no month of it is dropped until the end.
  await client.query('LOCK TABLE executions, events, transfers IN ACCESS SHARE MODE');
  const { rows } = await client.query<{ sees: boolean }>(seesJournal);
  if (!rows[0]?.sees) throw new Error('this login does not see the journal: row level security hides it');
}

// To whom row level security shows no transfer, every balance would look wrong.
const seesJournal = `
SELECT NOT row_security_active('transfers') OR EXISTS (
  SELECT FROM pg_policy, unnest(polroles) AS role
  WHERE polrelid = 'transfers'::regclass AND polcmd IN ('r', '*') AND (role = 0 OR pg_has_role(role, 'USAGE'))) AS sees`;

// A service's statements find few rows by indexes; these read all there is. The planner may know nothing of tables that
// were empty a minute ago, and would then go through one by the index of another, row by row: no nested loops. A hash
// that several processes share would need more shared memory than containers have.
const settings = [
  'statement_timeout = 0',
  'enable_seqscan = on',
  'enable_nestloop = off',
  'enable_parallel_hash = off',
  'enable_partitionwise_join = on',
  'enable_partitionwise_aggregate = on',
  'plan_cache_mode = auto',
  // Of each of the months that a statement joins.
  `work_mem = '32MB'`,
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join('; ');

async function checkInvariants(
  client: PoolClient,
  onChecked?: (checked: CheckedInvariant) => void,
): Promise<Breach[]> {
  const all: Breach[] = [];
  for (const invariant of Object.keys(invariants) as Invariant[]) {
    const startedAt = performance.now();
    const query = {
      text: `${invariants[invariant]} LIMIT ${maxBreachesPerInvariant + 1}`,
      query_timeout: hourMs,
    };
    const { rows } = await client.query<{ id: string; found: string }>(query);
    const breaches = rows.slice(0, maxBreachesPerInvariant).map((row) => ({ invariant, ...row }));
    const tookMs = performance.now() - startedAt;
    onChecked?.({ invariant, breaches, areMore: rows.length > maxBreachesPerInvariant, tookMs });
    all.push(...breaches);
  }
  return all;
}
