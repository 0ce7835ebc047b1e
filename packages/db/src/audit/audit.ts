import type { PoolClient } from 'pg';
import type { Database, Queryable } from '../client.ts';
import { inTransaction, runStatement } from '../statement.ts';
import { batchInvariants } from './batches.ts';
import { executionInvariants } from './executions.ts';
import { guardInvariants, journalInvariants } from './journal.ts';

export const invariants = {
  ...journalInvariants,
  ...executionInvariants,
  ...batchInvariants,
  ...guardInvariants,
} as const;

export type Invariant = keyof typeof invariants;

export type LastAudit = {
  finishedAtS: number;
  breaches: Record<string, number>;
  /** When an operator asked for an audit that has not started yet. */
  requestedAt: Date | null;
};

export async function readLastAudit(db: Database): Promise<LastAudit | null> {
  const [last] = await runStatement<LastAudit>(db.pool, 'last_audit', read, []);
  return last ?? null;
}

async function isAuditDue(client: Queryable, intervalS: number): Promise<boolean> {
  const recent = await runStatement(client, 'recent_audit', recently, [intervalS]);
  return recent.length === 0;
}

/** Without `startedAt`: of an audit that starts after every request. */
export async function recordAudit(
  db: Database,
  breaches: Breach[],
  startedAt: string | null = null,
): Promise<void> {
  const counts: Record<string, number> = {};
  for (const { invariant } of breaches) counts[invariant] = (counts[invariant] ?? 0) + 1;
  await runStatement(db.pool, 'record_audit', record, [JSON.stringify(counts), startedAt]);
}

/** The next look of any ledger starts an audit. False: no audit has ended yet, so the first one is due anyway. */
export async function requestAudit(db: Database): Promise<boolean> {
  return (await runStatement(db.pool, 'request_audit', request, [])).length > 0;
}

const read = `SELECT extract(epoch FROM finished_at)::float8 AS "finishedAtS", breaches,
  requested_at AS "requestedAt" FROM ledger_audits`;

const request = `UPDATE ledger_audits SET requested_at = now() WHERE id = 1 RETURNING id`;

const recently = `SELECT FROM ledger_audits
  WHERE finished_at > now() - $1::int * interval '1 second' AND requested_at IS NULL`;

// A request made while the audit ran is for another one, which sees what was written since.
const record = `INSERT INTO ledger_audits AS a (finished_at, breaches) VALUES (now(), $1::jsonb)
  ON CONFLICT (id) DO UPDATE SET finished_at = excluded.finished_at, breaches = excluded.breaches,
    requested_at = CASE WHEN a.requested_at > $2::timestamptz THEN a.requested_at END`;

export type Breach = { invariant: Invariant; id: string; found: string };

export type CheckedInvariant = { invariant: Invariant; breaches: Breach[]; areMore: boolean; tookMs: number };

export const maxBreachesPerInvariant = 100;
const hourMs = 3_600_000;

/** Checks every invariant in one snapshot; safe under load. @throws when this login may not read the whole ledger */
export async function auditLedger(
  db: Pick<Database, 'pool'>,
  onChecked?: (checked: CheckedInvariant) => void,
): Promise<Breach[]> {
  return await inTransaction(db, async (client) => {
    await openSnapshot(client);
    return await checkInvariants(client, onChecked);
  });
}

/** At most one audit per `intervalS` over all instances. Null when none is due or another instance runs it. */
export async function auditWhenDue(db: Database, intervalS: number): Promise<Breach[] | null> {
  // Instances look often, and a snapshot locks tables.
  if (!(await isAuditDue(db.pool, intervalS))) return null;
  return await inTransaction(db, async (client) => {
    await openSnapshot(client);
    const { rows } = await client.query<{ locked: boolean; startedAt: string }>(lock);
    if (!rows[0]?.locked || !(await isAuditDue(client, intervalS))) return null;
    const breaches = await checkInvariants(client);
    // While the lock is still held; on another connection, because this transaction is read-only.
    await recordAudit(db, breaches, rows[0].startedAt);
    return breaches;
  });
}

// As text: a `Date` has no microseconds, so a request of the same millisecond would seem to come after the start.
const lock = `SELECT pg_try_advisory_xact_lock(hashtext('holdfast ledger audit')) AS locked, now()::text AS "startedAt"`;

async function openSnapshot(client: PoolClient): Promise<void> {
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(settings);
  // Taken before the snapshot, so that no month is dropped during the audit.
  await client.query('LOCK TABLE executions, events, transfers IN ACCESS SHARE MODE');
  const { rows } = await client.query<{ sees: boolean }>(seesJournal);
  if (!rows[0]?.sees) throw new Error('this login does not see the journal: row level security hides it');
}

// If row level security hid transfers, every balance would look wrong.
const seesJournal = `
SELECT NOT row_security_active('transfers') OR EXISTS (
  SELECT FROM pg_policy, unnest(polroles) AS role
  WHERE polrelid = 'transfers'::regclass AND polcmd IN ('r', '*') AND (role = 0 OR pg_has_role(role, 'USAGE'))) AS sees`;

// Services read few rows by index; an audit reads all. Statistics may be missing for young tables, so nested loops
// are off; containers lack the shared memory for parallel hashes.
const settings = [
  'statement_timeout = 0',
  'enable_seqscan = on',
  'enable_nestloop = off',
  'enable_parallel_hash = off',
  'enable_partitionwise_join = on',
  'enable_partitionwise_aggregate = on',
  'plan_cache_mode = auto',
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
