import { auditLedger } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { retryTransient } from '@holdfast/db/faults';
import { createLogger } from '@holdfast/kit/logger';

/** Sessions of this program meet the failover, too. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  return await retryTransient(createLogger('failover', 'silent'), 60_000, work);
}

/** Accepted executions that the database does not know. */
export async function missingIn({ pool }: Database, ids: readonly string[]): Promise<string[]> {
  const { rows } = await patiently(() =>
    pool.query<{ id: string }>(
      'SELECT given.id FROM unnest($1::text[]) AS given (id) WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = given.id)',
      [ids],
    ),
  );
  return rows.map(({ id }) => id);
}

export async function breachesIn(db: Database): Promise<string[]> {
  const breaches = await patiently(() => auditLedger(db));
  return breaches.map(({ invariant, id, found }) => `audit: ${invariant}: ${id} ${found}`);
}

/** Describes what was done twice, not at all or without a request, a line each. `events` are the ids that were delivered. */
export async function problemsAtRest(
  { pool }: Database,
  organizationId: string,
  known: { accepted: ReadonlyMap<string, unknown>; events: ReadonlySet<string>; mayFail: boolean },
): Promise<string[]> {
  const { accepted, events, mayFail } = known;
  type Row = { id: string; status: string; charges: number; events: string[] };
  const { rows } = await patiently(() => pool.query<Row>(ended, [organizationId]));
  return rows.flatMap((row) => [
    ...(accepted.has(row.id) ? [] : [`${row.id} was created, and no client received its id`]),
    ...(row.status === 'COMPLETED' || mayFail ? [] : [`${row.id} ended ${row.status}`]),
    ...(row.charges === (row.status === 'COMPLETED' ? 1 : 0)
      ? []
      : [`${row.id} is ${row.status} and was charged ${row.charges} times`]),
    ...row.events.filter((id) => !events.has(id)).map((id) => `${id} of ${row.id} did not arrive`),
  ]);
}

// Each table once: events have no index by execution, and a long run has 100,000 of them.
const ended = `WITH charged AS MATERIALIZED (
    SELECT execution_id, count(*)::int AS charges FROM transfers WHERE kind = 'settle' GROUP BY execution_id),
  happened AS MATERIALIZED (SELECT execution_id, array_agg(id) AS ids FROM events GROUP BY execution_id)
SELECT e.id, e.status, coalesce(c.charges, 0) AS charges, coalesce(h.ids, '{}') AS events
FROM executions e LEFT JOIN charged c ON c.execution_id = e.id LEFT JOIN happened h ON h.execution_id = e.id
WHERE e.organization_id = $1`;

/** Executions with several attempts: a sandbox, like Cog, forgets a run whose callback was refused. */
export async function countRepeated({ pool }: Database): Promise<number> {
  const { rows } = await patiently(() =>
    pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM (SELECT FROM attempts GROUP BY execution_id HAVING count(*) > 1) AS repeated',
    ),
  );
  return rows[0]?.count ?? 0;
}
