import { add } from '../ui/amounts.ts';
import type { Schemas } from './api.ts';

type Transaction = Schemas['Transaction'];

/** What the last transaction of an execution says of it: it holds an amount, it was charged, or it cost nothing. */
const runKinds = {
  hold: 'running',
  overage: 'running',
  settle: 'charged',
  remainder: 'charged',
  release: 'released',
} as const;
type RunKind = keyof typeof runKinds;
const isOfRun = (kind: Transaction['kind']): kind is RunKind => Object.hasOwn(runKinds, kind);

/** One line for each execution, and for each transaction that is the operator's or a batch's. */
export type StatementLine = {
  id: string;
  kind: (typeof runKinds)[RunKind] | Exclude<Transaction['kind'], RunKind>;
  executionId: string | null;
  reason: string | null;
  /** The change of the balance, and the balance after the last of its transactions. */
  change: string;
  after: string;
  at: string;
};

/** Newest first, as the transactions are. A hold whose execution ended on an earlier page adds nothing of its own. */
export function folded(transactions: readonly Transaction[]): StatementLine[] {
  const lines = new Map<string, StatementLine>();
  for (const one of transactions) {
    const id = isOfRun(one.kind) ? String(one.execution_id) : String(one.sequence);
    const change = add(one.available_change, one.held_change);
    const known = lines.get(id);
    if (known) {
      known.change = add(known.change, change);
      continue;
    }
    lines.set(id, {
      id,
      kind: isOfRun(one.kind) ? runKinds[one.kind] : one.kind,
      executionId: one.execution_id,
      reason: one.reason,
      change,
      after: one.balance_after,
      at: one.created_at,
    });
  }
  return [...lines.values()];
}
