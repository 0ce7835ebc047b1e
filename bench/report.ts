import { cpus, release, totalmem, type } from 'node:os';
import type { Figures } from './bench.ts';
import type { CpuTimes } from './cpu.ts';
import type { Flags } from './flags.ts';
import type { LedgerCheck } from './ledger.ts';
import type { MemoryMib } from './memory.ts';
import type { Statement } from './postgres.ts';
import { round, sum } from './statistics.ts';
import { judge, type Verdict } from './targets.ts';

const namedIds = 10;

/** What goes to standard output and into `bench/results/`. */
export function report(args: {
  flags: Flags;
  figures: Figures;
  /** CPU milliseconds per execution, by part and process. */
  cpu: Record<string, CpuTimes>;
  memory: Record<string, MemoryMib>;
  idleCpu: Record<string, number>;
  others: Record<string, number>;
  repeated: ReadonlyMap<string, number>;
  /** The SQL statements that took longest, by part. */
  statements: Record<string, Statement[]>;
  postgres: Record<string, string>;
  ledger: LedgerCheck;
  fixedWorkMs: number[];
}) {
  const {
    flags,
    figures,
    cpu,
    memory,
    idleCpu,
    others,
    repeated,
    statements,
    postgres,
    ledger,
    fixedWorkMs,
  } = args;
  return {
    verdicts: judge(figures),
    figures: { ...figures, repeated_webhooks: sum(repeated.values()) },
    cpu_ms_per_execution: cpu,
    memory_mib: memory,
    idle_cpu_percent: idleCpu,
    cpu_share_of_others: others,
    repeated_webhook_ids: [...repeated.keys()].slice(0, namedIds),
    ...(flags.pgStat ? { statements } : {}),
    ledger,
    settings: settingsOf(flags),
    machine: { ...describeMachine(), fixed_work_ms: fixedWorkMs },
    postgres,
    at: new Date().toISOString(),
  };
}

function settingsOf({
  seconds,
  clients,
  executions,
  finished,
  pending,
  drainRate,
  drainSeconds,
  backlog,
  only,
}: Flags) {
  const drain = { drain_rate: drainRate, drain_seconds: drainSeconds, backlog };
  return { seconds, clients, executions, finished, pending, ...drain, parts: only };
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

/** CPU milliseconds per execution by rate, of the parts that were measured; null: of none. */
export function cpuLine(figures: Figures): string | null {
  const rates = {
    '10/s': 'rate_10_cpu_ms',
    '50/s': 'rate_50_cpu_ms',
    '200/s': 'rate_200_cpu_ms',
    '500/s': 'rate_500_cpu_ms',
  };
  const measured = Object.entries({ ...rates, 'as many as possible': 'system_cpu_ms_per_execution' }).flatMap(
    ([rate, figure]) => (figures[figure] === undefined ? [] : [`${Number(figures[figure])} at ${rate}`]),
  );
  return measured.length === 0
    ? null
    : `CPU per execution in ms, without load and receiver: ${measured.join(', ')}`;
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
