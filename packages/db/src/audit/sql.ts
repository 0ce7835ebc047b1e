import { openStatuses } from '@holdfast/domain/statuses';
import { quotedList } from '../executions/read.ts';

export const balanceChangeSql = (account: 'available' | 'held' | 'funding' | 'revenue' | 'write_offs') =>
  `CASE '${account}' WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END`;

export const openStatusesSql = `(${quotedList(openStatuses)})`;

/** Whether the month of this execution id is kept: if so, a missing execution was never written. */
export const isKeptSql = (id: string) => `EXISTS (
    SELECT FROM month_partitions() p WHERE p.parent = 'executions' AND ${id} >= month_bound('exec', p.month)
      AND ${id} < month_bound('exec', (p.month + interval '1 month')::date))`;

export const hasExecutionsSql = `tableoid <> ALL (ARRAY (
      SELECT j.partition::regclass::oid FROM month_partitions() j WHERE j.parent = 'transfers' AND NOT EXISTS (
        SELECT FROM month_partitions() e WHERE e.parent = 'executions' AND e.month = j.month)))`;
