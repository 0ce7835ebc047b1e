import type { Transfer } from '@holdfast/db/transfers';
import { clientTransferKinds } from '@holdfast/domain/ledger';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import type { CsvColumns } from '../../http/csv.ts';
import { idField, timestamp } from '../../http/fields.ts';
import { amount } from '../../money/amounts.ts';

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

const kindsExplained =
  'What it was for: `top_up` and `correction` by the operator; `hold` reserves for an execution; `settle` charges ' +
  'its cost, `overage` before it takes what the hold lacked, `remainder` after it gives back what was left; `release` ' +
  'gives back the hold of one that was not charged';

export const Transaction = z
  .object({
    sequence: z
      .int()
      .describe('Its number in the journal of your organization, higher than those of all before it'),
    kind: z.enum(clientTransferKinds).describe(kindsExplained),
    amount: amount('What was moved, never below 0'),
    available_change: amount('What it did to `available`; below 0 it took from it'),
    held_change: amount('What it did to `held`; below 0 it took from it'),
    execution_id: idField('exec', 'The execution it was made for').nullable(),
    reason: z.string().nullable().describe("The operator's reason, of a top-up or correction"),
    available_after: amount('Free for new executions, once it was made'),
    held_after: amount('Reserved by executions, once it was made'),
    balance_after: amount('Both together, once it was made'),
    created_at: timestamp('When it was made'),
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
