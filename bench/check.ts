import { auditLedger } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';

export type Check = {
  ok: boolean;
  executions: number;
  completed: number;
  /** Executions with exactly one charge. */
  charged_once: number;
  held: string;
  /** Rows that break an invariant of the ledger. */
  breaches: string[];
};

/** Every execution ended COMPLETED and was charged once, nothing is held, and no invariant of the ledger is broken. */
export async function checkLedger(db: Database, organizationId: string): Promise<Check> {
  const { rows } = await db.pool.query<Omit<Check, 'ok' | 'breaches'>>(statement, [organizationId]);
  const counts = rows[0];
  if (!counts) throw new Error('the organization has no balance');
  const breaches = (await auditLedger(db)).map(({ invariant, id, found }) => `${invariant}: ${id} ${found}`);
  const { executions, completed, charged_once: charged, held } = counts;
  const ok =
    completed === executions && charged === executions && Number(held) === 0 && breaches.length === 0;
  return { ok, ...counts, breaches };
}

const statement = `
SELECT count(*)::int AS executions, count(*) FILTER (WHERE e.status = 'COMPLETED')::int AS completed,
  count(*) FILTER (WHERE t.charges = 1)::int AS charged_once,
  (SELECT held::text FROM balances WHERE organization_id = $1) AS held
FROM executions e LEFT JOIN (
  SELECT execution_id, count(*) AS charges FROM transfers WHERE kind = 'settle' GROUP BY 1
) t ON t.execution_id = e.id
WHERE e.organization_id = $1`;
