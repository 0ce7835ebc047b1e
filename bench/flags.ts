import { resolve } from 'node:path';
import { readFlags, UsageError, wholeNumber } from '@holdfast/kit/flags';

export type Flags = {
  help: boolean;
  seconds: number;
  clients: number;
  executions: number;
  /** Executions that `grown` writes. */
  finished: number;
  pending: number;
  /** Executions/s and seconds of `drain`, and the number of deliveries in its backlog. */
  drainRate: number;
  drainSeconds: number;
  backlog: number;
  /** Items of the batches of `batch`. */
  lines: number;
  only: string[];
  /** Whether to write the result to bench/results. */
  write: boolean;
  /** The folder for the CPU profile of each service; null: no profiles. */
  cpuProfile: string | null;
  /** Whether to print the slowest statements of each part. */
  pgStat: boolean;
};

export const statementCount = 15;

export function usage(parts: Record<string, string>): string {
  const lines = Object.entries(parts).map(([name, about]) => `  ${name.padEnd(14)} ${about}`);
  return `Usage: npm run bench [-- flags]

Starts the whole system with fresh data on free ports (PostgreSQL with durable settings), measures it, audits the ledger,
and stops it. Prints one JSON document to standard output, progress and a table to standard error.

  --seconds N       duration of the parts that measure by time (default 10; hot_row takes half)
  --clients N       number of connections that create executions (default 128)
  --executions N    number of executions in end_to_end and organizations (default 15000)
  --finished N      number of executions, spread over a year, that grown inserts (default 5000000)
  --pending N       number of them that stay pending (default 200000)
  --drain-rate N    executions/s in drain (default 300)
  --drain-seconds N duration of each load in drain (default 30)
  --backlog N       number of deliveries in the backlog of drain (default 20000)
  --lines N         number of items of the batches in batch (default 100000)
  --only a,b        run only these parts; required for the long ones
  --no-write        do not write bench/results
  --cpu-prof DIR    every service writes a CPU profile to this folder
  --pg-stat         print the ${statementCount} slowest SQL statements of each part (pg_stat_statements)
  --help            print this text

Parts:
${lines.join('\n')}`;
}

/** Without `--only`, the default parts. @throws UsageError */
export function parseFlags(args: string[], parts: string[], defaultParts: string[]): Flags {
  const values = readFlags(args, options, 'npm run bench -- --help');
  return {
    help: values.help ?? false,
    seconds: wholeNumber('--seconds', values.seconds ?? '10'),
    clients: wholeNumber('--clients', values.clients ?? '128'),
    executions: wholeNumber('--executions', values.executions ?? '15000'),
    finished: wholeNumber('--finished', values.finished ?? '5000000'),
    pending: wholeNumber('--pending', values.pending ?? '200000'),
    drainRate: wholeNumber('--drain-rate', values['drain-rate'] ?? '300'),
    drainSeconds: wholeNumber('--drain-seconds', values['drain-seconds'] ?? '30'),
    backlog: wholeNumber('--backlog', values.backlog ?? '20000'),
    lines: wholeNumber('--lines', values.lines ?? '100000'),
    only: partsOf(values.only, parts, defaultParts),
    write: !values['no-write'],
    cpuProfile: values['cpu-prof'] === undefined ? null : resolve(values['cpu-prof']),
    pgStat: values['pg-stat'] ?? false,
  };
}

const options = {
  help: { type: 'boolean', short: 'h' },
  seconds: { type: 'string' },
  clients: { type: 'string' },
  executions: { type: 'string' },
  finished: { type: 'string' },
  pending: { type: 'string' },
  'drain-rate': { type: 'string' },
  'drain-seconds': { type: 'string' },
  backlog: { type: 'string' },
  lines: { type: 'string' },
  'no-write': { type: 'boolean' },
  only: { type: 'string' },
  'cpu-prof': { type: 'string' },
  'pg-stat': { type: 'boolean' },
} as const;

function partsOf(only: string | undefined, parts: string[], defaultParts: string[]): string[] {
  if (only === undefined) return defaultParts;
  const wanted = only.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !parts.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}". The parts are ${parts.join(', ')}.`);
  return parts.filter((name) => wanted.includes(name));
}
