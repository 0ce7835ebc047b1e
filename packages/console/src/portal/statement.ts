import { add } from '../ui/amounts.ts';
import type { Schemas } from './api.ts';

type Transaction = Schemas['Transaction'];

/** One line for each execution, and for each transaction that is the operator's or a batch's. */
export type StatementLine = {
  id: string;
  /** `charged`: what an execution cost; `running`: it holds an amount; `released`: it cost nothing. */
  kind: 'charged' | 'running' | 'released' | Transaction['kind'];
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
    const isOfRun = one.execution_id !== null && one.kind !== 'correction';
    const id = isOfRun ? String(one.execution_id) : String(one.sequence);
    const known = lines.get(id);
    const change = add(one.available_change, one.held_change);
    if (known) {
      known.change = add(known.change, change);
      if (one.kind === 'settle') known.kind = 'charged';
      continue;
    }
    lines.set(id, {
      id,
      kind: isOfRun ? kindOfRun(one.kind) : one.kind,
      executionId: one.execution_id,
      reason: one.reason,
      change,
      after: one.balance_after,
      at: one.created_at,
    });
  }
  return [...lines.values()];
}

/** By the last transaction of an execution. */
function kindOfRun(last: Transaction['kind']): StatementLine['kind'] {
  if (last === 'hold' || last === 'overage') return 'running';
  return last === 'release' ? 'released' : 'charged';
}
