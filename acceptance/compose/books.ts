import type { Breach } from '@holdfast/db/audit/audit';
import type { Project } from './project.ts';

// The ledger's own audit, run where the ledger runs, with its rights: the database is not reached from outside.
const audit = `
  import { auditLedger } from '/app/packages/db/src/audit/audit.ts';
  import { openDatabase } from '/app/packages/db/src/client.ts';
  const db = openDatabase({ url: process.env.DATABASE_URL, poolSize: 1, applicationName: 'compose test' });
  process.stdout.write(JSON.stringify(await auditLedger(db)));
  await db.close();`;

/** What breaks an invariant of the ledger, over all organizations. */
export async function auditBooks(project: Project): Promise<Breach[]> {
  const program = ['node', '--input-type=module', '--eval', audit];
  return JSON.parse(await project.compose('exec', '--no-TTY', 'ledger', ...program)) as Breach[];
}

/** What the database knows of an organization and the API does not tell. */
export type Books = {
  /** Every event, as `<id> <execution> <type>`. */
  events: string[];
  /** Transfers that charge, per execution, as `<execution> <how many> <sum>`. */
  charges: string[];
  /** Work that still waits, by kind. */
  waiting: Record<'attempts' | 'callbacks' | 'events' | 'deliveries', number>;
};

const books = (organizationId: string) => `
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

export async function readBooks(project: Project, organizationId: string): Promise<Books> {
  const psql = ['psql', '--username', 'holdfast', '--dbname', 'holdfast', '--no-align', '--tuples-only'];
  const args = ['exec', '--no-TTY', 'postgres', ...psql, '--command', books(organizationId)];
  return JSON.parse(await project.compose(...args)) as Books;
}
