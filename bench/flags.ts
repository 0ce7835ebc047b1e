import { resolve } from 'node:path';
import { readFlags, UsageError, wholeNumber } from '@holdfast/kit/flags';

export type Flags = {
  help: boolean;
  seconds: number;
  clients: number;
  executions: number;
  /** Of `grown`. */
  finished: number;
  pending: number;
  only: string[];
  /** Whether the result is kept in bench/results and drawn. */
  write: boolean;
  /** Where each service leaves a CPU profile; null: none is taken. */
  cpuProfile: string | null;
  /** Whether each part tells which SQL took the time. */
  pgStat: boolean;
};

export const statementCount = 15;

export function usage(parts: Record<string, string>): string {
  const lines = Object.entries(parts).map(([name, about]) => `  ${name.padEnd(14)} ${about}`);
  return `Usage: npm run bench [-- flags]

Starts everything anew on free ports (Postgres with its durable defaults), measures, checks the ledger, ends it all.
One JSON document goes to standard output, progress and a table to standard error.

  --seconds N       length of what is measured by time (default 10; hot_row takes half)
  --clients N       connections that create at once (default 128)
  --executions N    executions of end_to_end and organizations (default 15000)
  --finished N      executions that grown puts into the database, over a year (default 5000000)
  --pending N       those that it leaves pending (default 200000)
  --only a,b        these parts alone, the long ones too
  --no-write        does not write bench/results and docs/benchmarks.md
  --cpu-prof DIR    every service leaves a CPU profile there
  --pg-stat         tells the ${statementCount} SQL statements that took longest in each part (pg_stat_statements)
  --help            this text

Parts:
${lines.join('\n')}`;
}

/** Without `--only`, the default parts. @throws UsageError */
export function parseFlags(args: string[], parts: string[], usual: string[]): Flags {
  const values = readFlags(args, options, 'npm run bench -- --help');
  return {
    help: values.help ?? false,
    seconds: wholeNumber('--seconds', values.seconds ?? '10'),
    clients: wholeNumber('--clients', values.clients ?? '128'),
    executions: wholeNumber('--executions', values.executions ?? '15000'),
    finished: wholeNumber('--finished', values.finished ?? '5000000'),
    pending: wholeNumber('--pending', values.pending ?? '200000'),
    only: partsOf(values.only, parts, usual),
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
  'no-write': { type: 'boolean' },
  only: { type: 'string' },
  'cpu-prof': { type: 'string' },
  'pg-stat': { type: 'boolean' },
} as const;

function partsOf(only: string | undefined, parts: string[], usual: string[]): string[] {
  if (only === undefined) return usual;
  const wanted = only.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !parts.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no part "${unknown}": one of ${parts.join(', ')}.`);
  return parts.filter((name) => wanted.includes(name));
}
