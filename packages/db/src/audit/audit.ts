import type { Database } from '../client.ts';
import { inTransaction } from '../transaction.ts';
import { type Invariant, invariants } from './invariants.ts';

/** A row that breaks an invariant. */
export type Breach = { invariant: Invariant; id: string; found: string };

const mostPerInvariant = 100;

/** Checks every invariant of the ledger in one snapshot: safe to run during load. */
export async function auditLedger(db: Database): Promise<Breach[]> {
  return await inTransaction(db, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const breaches: Breach[] = [];
    for (const [invariant, query] of Object.entries(invariants)) {
      const { rows } = await client.query<{ id: string; found: string }>(
        `${query} LIMIT ${mostPerInvariant}`,
      );
      breaches.push(...rows.map((row) => ({ invariant: invariant as Invariant, ...row })));
    }
    return breaches;
  });
}
