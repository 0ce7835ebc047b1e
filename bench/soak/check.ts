import { auditLedger } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { inTransaction } from '@holdfast/db/statement';
import type { IdSet } from './receiver.ts';

/** `organizationId` null: receives the events of all organizations. */
export type Endpoint = { name: string; organizationId: string | null; events: IdSet };

export type Checked = {
  executions: Record<string, number>;
  events: number;
  /** What was lost, done twice, or is wrong in the ledger, one line each. */
  problems: string[];
};

/** Compares executions, events and ledger at rest with what users and endpoints know. */
export async function checkAll(
  db: Database,
  accepted: IdSet,
  endpoints: readonly Endpoint[],
): Promise<Checked> {
  const executions = await checkExecutions(db, accepted);
  const events = await checkEvents(db, endpoints);
  const breaches = await auditLedger(db);
  const audit = breaches.map(({ invariant, id, found }) => `audit: ${invariant}: ${id} ${found}`);
  return {
    executions: executions.byStatus,
    events: events.count,
    problems: [...executions.problems, ...events.problems, ...audit],
  };
}

async function checkExecutions(db: Database, accepted: IdSet) {
  const problems: string[] = [];
  const byStatus: Record<string, number> = {};
  let known = 0;
  await each(db, ended, ({ id = '', status = '', charges, endings }) => {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (accepted.has(id)) known += 1;
    else problems.push(`${id} was created, and no client received its id`);
    if (endings !== '1') problems.push(`${id} ended ${endings} times`);
    const due = status === 'COMPLETED' ? '1' : '0';
    if (charges !== due) problems.push(`${id} is ${status} and was charged ${charges} times`);
  });
  if (known < accepted.size()) problems.push(`${accepted.size() - known} accepted executions are lost`);
  return { byStatus, problems };
}

async function checkEvents(db: Database, endpoints: readonly Endpoint[]) {
  const problems: string[] = [];
  let count = 0;
  await each(db, endings, ({ id = '', owner }) => {
    count += 1;
    for (const { name, organizationId, events } of endpoints) {
      const isMeant = organizationId === null || organizationId === owner;
      if (isMeant && !events.has(id)) problems.push(`${id} did not arrive at the ${name} endpoint`);
    }
  });
  return { count, problems };
}

const ended = `
SELECT e.id, e.status, coalesce(t.charges, 0)::text AS charges, coalesce(v.endings, 0)::text AS endings
FROM executions e
LEFT JOIN (SELECT execution_id, count(*) AS charges FROM transfers WHERE kind = 'settle' GROUP BY 1) t
  ON t.execution_id = e.id
LEFT JOIN (SELECT execution_id, count(*) AS endings FROM events WHERE type <> 'execution.started' GROUP BY 1) v
  ON v.execution_id = e.id`;

const endings = `
SELECT id, organization_id AS owner FROM events WHERE execution_id IS NOT NULL AND type <> 'execution.started'`;

type Row = Partial<Record<string, string>>;

/** Millions of rows, some thousands at a time. */
async function each(db: Database, query: string, visit: (row: Row) => void): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query(readingAll);
    await client.query({ text: `DECLARE every NO SCROLL CURSOR FOR ${query}`, ...unhurried });
    for (;;) {
      const { rows } = await client.query<Row>({ text: 'FETCH 20000 FROM every', ...unhurried });
      if (rows.length === 0) return;
      for (const row of rows) visit(row);
    }
  });
}

// As the audit does: sessions of services are tuned for few rows.
const readingAll = `SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on; SET LOCAL enable_nestloop = off;
SET LOCAL plan_cache_mode = auto; SET LOCAL work_mem = '64MB'; SET LOCAL enable_partitionwise_join = on`;

const unhurried = { query_timeout: 3_600_000 };
