import { auditLedger, recordAudit } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { organizationName } from './organizations.ts';

/** The ledger's first audit would run during the measurement: it counts as made. */
export async function postponeAudit(db: Database): Promise<void> {
  await recordAudit(db, []);
}

export type LedgerCheck = {
  ok: boolean;
  executions: number;
  completed: number;
  charged_once: number;
  held: string;
  breaches: string[];
};

/** Every measured execution is COMPLETED and charged once, and no invariant of the ledger is broken. */
export async function checkLedger(db: Database, say: (line: string) => void): Promise<LedgerCheck> {
  say('checking the executions');
  const { rows } = await db.pool.query<Omit<LedgerCheck, 'ok' | 'breaches'>>(statement, [organizationName]);
  const counts = rows[0];
  if (!counts) throw new Error('nothing was counted');
  say('auditing the ledger');
  const breaches = (await auditLedger(db)).map(({ invariant, id, found }) => `${invariant}: ${id} ${found}`);
  const { executions, completed, charged_once: charged, held } = counts;
  const ok =
    completed === executions && charged === executions && Number(held) === 0 && breaches.length === 0;
  return { ok, ...counts, breaches };
}

const statement = `
SELECT count(*)::int AS executions, count(*) FILTER (WHERE e.status = 'COMPLETED')::int AS completed,
  count(*) FILTER (WHERE t.charges = 1)::int AS charged_once,
  (SELECT sum(b.held)::text FROM balances b JOIN organizations ON id = b.organization_id WHERE name = $1) AS held
FROM organizations o JOIN executions e ON e.organization_id = o.id, LATERAL (
  SELECT count(*) AS charges FROM transfers WHERE execution_id = e.id AND kind = 'settle'
) t
WHERE o.name = $1`;
