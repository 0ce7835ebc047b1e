import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import { expectNone } from './checks.ts';
import { startBalance } from './customer.ts';
import type { LedgerRows } from './ledger.ts';
import type { Accepted } from './load.ts';
import type { ExecutionRecord } from './records.ts';

/** Checks that completed executions were charged once, for their price, and others never, and that the balance agrees. */
export function expectChargedOnce(args: {
  accepted: Accepted;
  records: ExecutionRecord[];
  charges: LedgerRows['charges'];
  available: Money;
}): void {
  const { accepted, records, charges, available } = args;
  const completed = records.filter(({ status }) => status === 'COMPLETED');
  const costs = records.filter(({ status, cost }) => (status === 'COMPLETED') !== Number(cost ?? 0) > 0);
  expectNone(
    'have a cost that does not go with their status',
    costs.map(({ id, status, cost }) => `${id} ${status} ${cost}`),
  );
  const due = completed.map(({ id }) => `${id} 1 ${accepted.get(id)?.ends.cost}`);
  const found = new Set(charges);
  expectNone(
    'were not charged once for their price',
    due.filter((charge) => !found.has(charge)),
  );
  const owed = new Set(due);
  expectNone(
    'were charged and should not have been',
    charges.filter((charge) => !owed.has(charge)),
  );
  const spent = completed.reduce(
    (sum, { id }) => sum.plus(accepted.get(id)?.ends.cost ?? 0),
    new MoneyDecimal(0),
  );
  const left = new MoneyDecimal(startBalance).minus(spent);
  if (!left.equals(available))
    throw new Error(`${available} is left of ${startBalance}, it should be ${left.toFixed()}`);
}
