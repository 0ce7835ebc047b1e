import type { PoolClient } from 'pg';
import type { Database } from '../client.ts';
import { inTransaction } from '../transaction.ts';
import { type Invariant, invariants } from './invariants.ts';
import { isAuditDue, recordAudit } from './lastAudit.ts';

/** A row that breaks an invariant. */
export type Breach = { invariant: Invariant; id: string; found: string };

const mostPerInvariant = 100;
const hourMs = 3_600_000;

/** Checks every invariant of the ledger in one snapshot: safe to run during load. */
export async function auditLedger(db: Database): Promise<Breach[]> {
  return await inTransaction(db, async (client) => {
    await openSnapshot(client);
    return await checkInvariants(client);
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
  await client.query('SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on');
}

async function checkInvariants(client: PoolClient): Promise<Breach[]> {
  const breaches: Breach[] = [];
  for (const [invariant, query] of Object.entries(invariants)) {
    const unhurried = { text: `${query} LIMIT ${mostPerInvariant}`, query_timeout: hourMs };
    const { rows } = await client.query<{ id: string; found: string }>(unhurried);
    breaches.push(...rows.map((row) => ({ invariant: invariant as Invariant, ...row })));
  }
  return breaches;
}
