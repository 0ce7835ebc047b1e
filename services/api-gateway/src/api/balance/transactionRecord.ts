import type { Transfer } from '@holdfast/db/transfers';
import { clientTransferKinds } from '@holdfast/domain/ledger';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import type { CsvColumns } from '../../http/csv.ts';
import { amount, idField, timestamp } from '../../http/fields.ts';

export const exampleTransaction = {
  sequence: 42,
  kind: 'settle',
  amount: '0.048',
  available_change: '0.00',
  held_change: '-0.048',
  execution_id: 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d',
  reason: null,
  available_after: '9.40',
  held_after: '0.60',
  balance_after: '10.00',
  created_at: '2026-03-20T10:30:08.430Z',
} as const;

const kindDescription =
  '`top_up` and `correction`: made by the operator; `hold`: reserves an amount for an execution; `settle`: charges the ' +
  'cost; `overage`, before it: takes the part of the cost above the hold; `remainder`, after it: returns the unused part ' +
  'of the hold; `release`: returns the hold of an execution that is not charged; `reserve`: takes the holds of all items of a batch; `unreserve`: returns ' +
  'what its items hold, or the rest at its end';

export const Transaction = z
  .object({
    sequence: z
      .int()
      .describe('Number in the journal of your organization; increases with every transaction'),
    kind: z.enum(clientTransferKinds).describe(kindDescription),
    amount: amount('The amount moved, never below 0'),
    available_change: amount('The change of `available`; below 0 when it decreased'),
    held_change: amount('The change of `held`; below 0 when it decreased'),
    execution_id: idField(
      'exec',
      'The execution that the transaction belongs to, or that a correction refunds',
    ).nullable(),
    reason: z.string().nullable().describe("The operator's reason for a top-up or correction"),
    available_after: amount('`available` after the transaction'),
    held_after: amount('`held` after the transaction'),
    balance_after: amount('The total after the transaction'),
    created_at: timestamp('When it was recorded'),
  })
  .meta({ id: 'Transaction', example: exampleTransaction });

export const transactionColumns: CsvColumns = {
  sequence: 'number',
  kind: 'text',
  amount: 'number',
  available_change: 'number',
  held_change: 'number',
  execution_id: 'text',
  reason: 'text',
  available_after: 'number',
  held_after: 'number',
  balance_after: 'number',
  created_at: 'text',
};

export function transactionRecord(transfer: Transfer) {
  return {
    sequence: Number(transfer.sequence),
    kind: transfer.kind,
    amount: formatMoney(transfer.amount),
    available_change: formatMoney(transfer.availableChange),
    held_change: formatMoney(transfer.heldChange),
    execution_id: transfer.executionId,
    reason: transfer.reason,
    available_after: formatMoney(transfer.availableAfter),
    held_after: formatMoney(transfer.heldAfter),
    balance_after: formatMoney(transfer.balanceAfter),
    created_at: transfer.createdAt.toISOString(),
  };
}
