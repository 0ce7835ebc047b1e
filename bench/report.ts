import { cpus, release, totalmem, type } from 'node:os';
import type { Figures } from './bench.ts';
import type { Check } from './check.ts';
import type { CpuTimes } from './cpu.ts';
import type { Flags } from './flags.ts';
import type { Statement } from './pgStat.ts';
import { round } from './statistics.ts';
import { judge, type Verdict } from './targets.ts';

export type Report = ReturnType<typeof report>;

/** What goes to standard output and into `bench/results/`. */
export function report(args: {
  flags: Flags;
  figures: Figures;
  /** CPU milliseconds per execution, by part and process. */
  cpu: Record<string, CpuTimes>;
  others: Record<string, number>;
  /** The SQL statements that took longest, by part. */
  statements: Record<string, Statement[]>;
  postgres: Record<string, string>;
  ledger: Check;
}) {
  const { flags, figures, cpu, others, statements, postgres, ledger } = args;
  const { seconds, clients, executions, finished, pending, only } = flags;
  return {
    verdicts: judge(figures),
    figures,
    cpu_ms_per_execution: cpu,
    cpu_share_of_others: others,
    ...(flags.pgStat ? { statements } : {}),
    ledger,
    settings: { seconds, clients, executions, finished, pending, parts: only },
    machine: describeMachine(),
    postgres,
    at: new Date().toISOString(),
  };
}

export function describeMachine() {
  return {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memory_gib: round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.version,
  };
}

/** The verdicts as a table for people. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ about, measured, must, aim, verdict }) => [
    about,
    String(measured),
    String(must),
    String(aim),
    verdict,
  ]);
  const table = [['figure', 'measured', 'must', 'aim', ''], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const shown = (cell: string, column: number) =>
    column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(shown).join('  ').trimEnd()).join('\n');
}
