import type { Breach } from '@holdfast/db/audit/audit';
import type { Project } from './project.ts';

// Runs the audit inside the ledger's container with its rights, because the database is not reachable from outside.
const audit = `
  import { auditLedger } from '/app/packages/db/src/audit/audit.ts';
  import { openDatabase } from '/app/packages/db/src/client.ts';
  const db = openDatabase({ url: process.env.DATABASE_URL, poolSize: 1, applicationName: 'compose test' });
  process.stdout.write(JSON.stringify(await auditLedger(db)));
  await db.close();`;

/** The broken invariants of the ledger, over all organizations. */
export async function auditLedger(project: Project): Promise<Breach[]> {
  const program = ['node', '--input-type=module', '--eval', audit];
  return JSON.parse(await project.compose('exec', '--no-TTY', 'ledger', ...program)) as Breach[];
}

/** Rows of an organization that the API does not show. */
export type LedgerRows = {
  /** Every event, as `<id> <execution> <type>`. */
  events: string[];
  /** Transfers that charge, per execution, as `<execution> <how many> <sum>`. */
  charges: string[];
  /** Pending work, by kind. */
  waiting: Record<'attempts' | 'callbacks' | 'events' | 'deliveries', number>;
};

const ledgerQuery = (organizationId: string) => `
  WITH mine AS (SELECT id FROM executions WHERE organization_id = '${organizationId}'),
  charged AS (SELECT execution_id, count(*) AS times, sum(amount) AS amount FROM transfers
    WHERE organization_id = '${organizationId}' AND kind = 'settle' GROUP BY execution_id)
  SELECT json_build_object(
    'events', (SELECT coalesce(json_agg(id || ' ' || execution_id || ' ' || type), '[]') FROM events
      WHERE organization_id = '${organizationId}'),
    'charges', (SELECT coalesce(json_agg(execution_id || ' ' || times || ' ' || trim_scale(amount)), '[]') FROM charged),
    'waiting', json_build_object(
      'attempts', (SELECT count(*) FROM attempts WHERE execution_id IN (SELECT id FROM mine)
        AND (finished_at IS NULL OR (outcome ->> 'ok' IS NOT NULL AND settled_at IS NULL AND state <> 'refused'))),
      'callbacks', (SELECT count(*) FROM provider_callbacks WHERE processed_at IS NULL),
      'events', (SELECT count(*) FROM events WHERE organization_id = '${organizationId}' AND fanned_out_at IS NULL),
      'deliveries', (SELECT count(*) FROM deliveries WHERE organization_id = '${organizationId}' AND state = 'pending')))`;

export async function readLedger(project: Project, organizationId: string): Promise<LedgerRows> {
  const psql = ['psql', '--username', 'holdfast', '--dbname', 'holdfast', '--no-align', '--tuples-only'];
  const args = ['exec', '--no-TTY', 'postgres', ...psql, '--command', ledgerQuery(organizationId)];
  return JSON.parse(await project.compose(...args)) as LedgerRows;
}
