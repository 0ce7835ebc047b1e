import { cpus } from 'node:os';
import type { Figures } from './bench.ts';
import type { Check } from './check.ts';
import type { Flags } from './flags.ts';
import { round } from './statistics.ts';

/** What goes to standard output. Ratios are there when both of their figures were measured. */
export function report(flags: Flags, figures: Figures, ledger: Check) {
  const { seconds, clients, executions, only } = flags;
  return {
    figures,
    ratios: {
      creates_over_hot_row: ratio(figures['creates_per_s'], figures['hot_row_tps']),
      end_to_end_over_hot_row: ratio(figures['end_to_end_per_s'], figures['hot_row_tps']),
    },
    ledger,
    settings: { seconds, clients, executions, parts: only },
    machine: { cpus: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version },
    at: new Date().toISOString(),
  };
}

function ratio(of: number | string | undefined, over: number | string | undefined): number | null {
  return typeof of === 'number' && typeof over === 'number' ? round(of / over, 3) : null;
}
