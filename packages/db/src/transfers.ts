import type { TransferKind } from '@holdfast/domain/ledger';
import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

/** The changes are signed, `amount` is not. */
export type Transfer = {
  sequence: string;
  kind: TransferKind;
  amount: Money;
  availableChange: Money;
  heldChange: Money;
  executionId: string | null;
  reason: string | null;
  availableAfter: Money;
  heldAfter: Money;
  balanceAfter: Money;
  createdAt: Date;
};

export type TransferFilter = {
  kind?: TransferKind | undefined;
  executionId?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  cursor?: string | undefined;
  withWriteOffs?: boolean;
};

export async function listTransfers(
  db: Database,
  organizationId: string,
  filter: TransferFilter,
  limit: number,
): Promise<Transfer[]> {
  const given = conditions.filter(({ key }) => filter[key] !== undefined);
  const parameter = (index: number) => `$${index + 3}`;
  const where = given.map(({ sql }, index) => ` AND ${sql(parameter(index))}`);
  const ofExecution = given.findIndex(({ key }) => key === 'executionId');
  const source = ofExecution < 0 ? 'transfers' : transfersOf(parameter(ofExecution));
  const isFunding = filter.kind === 'top_up' || filter.kind === 'correction';
  const variants = [...(isFunding ? ['funding'] : []), ...(filter.withWriteOffs ? ['all'] : [])];
  const name = ['list_transfers', ...given.map((one) => one.name), ...variants].join('_');
  const hidden = filter.withWriteOffs ? '' : ` AND t.kind <> 'write_off'`;
  const text = `SELECT ${columns} FROM ${source} t
    WHERE t.organization_id = $1${hidden}${where.join('')}${isFunding ? ' AND t.execution_id IS NULL' : ''}
    ORDER BY t.sequence DESC LIMIT $2`;
  const values = [organizationId, limit, ...given.map(({ key }) => filter[key])];
  return await runStatement<Transfer>(db.pool, name, text, values);
}

export type DayBalance = { day: string; available: Money; held: Money };

/** The balance at the end of each of the last days (UTC), oldest first, from the first day with one. */
export async function listDayBalances(
  db: Database,
  organizationId: string,
  days: number,
): Promise<DayBalance[]> {
  return await runStatement<DayBalance>(db.pool, 'list_day_balances', dayBalancesSql, [organizationId, days]);
}

// The hold of the next day's first execution leads to the last row before it: nothing else has an index on time. Rows after
// the end of the day and before that hold are few: those of executions that were open then.
const dayBalancesSql = `
SELECT to_char(d.day, 'YYYY-MM-DD') AS day, l.available_after AS available, l.held_after AS held
FROM (
  SELECT day, (day + interval '1 day') AT TIME ZONE 'UTC' AS ends FROM (
    SELECT date_trunc('day', now() AT TIME ZONE 'UTC') - n * interval '1 day' AS day FROM generate_series(0, $2::int - 1) n
  ) s
) d CROSS JOIN LATERAL (
  SELECT t.available_after, t.held_after FROM transfers t
  WHERE t.organization_id = $1 AND t.created_at < d.ends AND t.sequence < coalesce((
    SELECT h.sequence FROM transfers h WHERE h.kind = 'hold' AND h.execution_id = (
      SELECT e.id FROM executions e WHERE e.organization_id = $1 AND e.created_at >= d.ends ORDER BY e.created_at LIMIT 1)
  ), 9223372036854775807)
  ORDER BY t.sequence DESC LIMIT 1
) l ORDER BY d.day`;

const change = (account: 'available' | 'held') =>
  `CASE '${account}' WHEN t.credit_account THEN t.amount WHEN t.debit_account THEN -t.amount ELSE 0 END`;

/** A refund names its execution without being one of its transfers. */
const executionSql = `coalesce(t.execution_id, t.refund_of)`;

const columns = `t.sequence, t.kind, t.amount, ${change('available')} AS "availableChange",
  ${change('held')} AS "heldChange", ${executionSql} AS "executionId", t.reason, t.available_after AS "availableAfter",
  t.held_after AS "heldAfter", t.available_after + t.held_after AS "balanceAfter", t.created_at AS "createdAt"`;

/** Few rows, found by the execution (whatever the planner estimates) and filtered afterwards. */
const transfersOf = (executionId: string) =>
  `(SELECT * FROM transfers WHERE execution_id = ${executionId}
    UNION ALL SELECT * FROM transfers WHERE execution_id IS NULL AND refund_of = ${executionId} OFFSET 0)`;

// There is no index on time, but the journal is nearly in order of time: the hold of the nearest execution gives the
// sequence number.
const sequenceAt = (time: string, order: 'ASC' | 'DESC') => `(
  SELECT h.sequence FROM transfers h WHERE h.kind = 'hold' AND h.execution_id = (
    SELECT e.id FROM executions e
    WHERE e.organization_id = $1
      AND e.created_at ${order === 'ASC' ? `> ${time} + ${maxWait}` : `< ${time} - ${maxWait}`}
    ORDER BY e.created_at ${order} LIMIT 1))`;

/** A row's time is the start of its transaction; it may wait for locks through a few statements of 30 s. */
const maxWait = `interval '10 minutes'`;

const conditions: { key: keyof TransferFilter; name: string; sql: (parameter: string) => string }[] = [
  { key: 'kind', name: 'kind', sql: (kind) => `t.kind = ${kind}` },
  { key: 'executionId', name: 'execution', sql: (id) => `${executionSql} = ${id}` },
  {
    key: 'createdAfter',
    name: 'after',
    sql: (time) =>
      `t.created_at > ${time}::timestamptz AND t.sequence > coalesce(${sequenceAt(time, 'DESC')}, 0)`,
  },
  {
    key: 'createdBefore',
    name: 'before',
    sql: (time) =>
      `t.created_at < ${time}::timestamptz
      AND t.sequence < coalesce(${sequenceAt(time, 'ASC')}, 9223372036854775807)`,
  },
  { key: 'cursor', name: 'cursor', sql: (sequence) => `t.sequence < ${sequence}` },
];
