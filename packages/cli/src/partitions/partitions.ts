import { parseArgs } from 'node:util';
import type { Database } from '@holdfast/db/client';
import {
  clearOldMonths,
  type DropResult,
  dropJournalPartitions,
  dropPartitions,
  listPartitions,
  makePartitions,
  monthsAhead,
  type Partition,
  planDrop,
} from '@holdfast/db/partitions';
import type { Context } from '../command.ts';
import { readArguments } from '../flags.ts';
import { UsageError } from '../usageError.ts';

type Say = (line: string) => void;

/** Answers the exit code. @throws what the database refuses; UsageError for arguments it can't read */
export async function partitions(
  args: string[],
  { openDatabase, say }: Pick<Context, 'openDatabase' | 'say'>,
): Promise<number> {
  const { positionals, values } = read(args);
  const [action, ...rest] = positionals;
  if (rest.length > 0)
    throw new UsageError(`there is no "${rest.join(' ')}" to holdfast partitions ${action}`);
  if (action === undefined || !isAction(action))
    throw new UsageError('holdfast partitions takes list, make or drop');
  refuseForeign(action, values);
  if (action === 'list') return list(await listPartitions((await openDatabase()).pool), say);
  if (action === 'make') {
    const months = numberOf('--months', values.months ?? String(monthsAhead), { least: 0, most: 24 });
    return await make(await openDatabase(), months, say);
  }
  const days = numberOf('--older-than-days', values['older-than-days'], { least: 30, most: 999_999 });
  const { 'including-journal': journal = false, yes = false } = values;
  return await drop(await openDatabase(), { days, journal, yes }, say);
}

const options = {
  months: { type: 'string' },
  'older-than-days': { type: 'string' },
  'including-journal': { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

/** The flags that each takes. */
const actions: Record<'list' | 'make' | 'drop', readonly string[]> = {
  list: [],
  make: ['months'],
  drop: ['older-than-days', 'including-journal', 'yes'],
};

const isAction = (word: string): word is keyof typeof actions => Object.hasOwn(actions, word);

const read = (args: string[]) => readArguments(() => parseArgs({ args, allowPositionals: true, options }));

function refuseForeign(action: keyof typeof actions, values: object): void {
  const foreign = Object.keys(values).find((flag) => !actions[action].includes(flag));
  if (foreign) throw new UsageError(`holdfast partitions ${action} takes no --${foreign}`);
}

/** What the database would refuse too. */
function numberOf(flag: string, text: string | undefined, { least, most }: { least: number; most: number }) {
  const number = /^\d{1,6}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${flag} needs a number from ${least} to ${most}`);
}

function list(all: Partition[], say: Say): number {
  for (const partition of all) say(lineOf(partition));
  return 0;
}

const lineOf = ({ month, name, rows, bytes }: Partition) =>
  `${month}  ${name.padEnd(25)}  ${String(rows ?? '?').padStart(12)} rows  ${megabytes(bytes).padStart(10)} MB`;

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

async function make(db: Database, months: number, say: Say): Promise<number> {
  const made = await makePartitions(db.pool, months);
  say(made.length === 0 ? 'They are there already.' : `made: ${made.join(', ')}`);
  return 0;
}

async function drop(
  db: Database,
  { days, journal, yes }: { days: number; journal: boolean; yes: boolean },
  say: Say,
): Promise<number> {
  const plan = await planDrop(db.pool, days, journal);
  for (const one of plan) say(`${lineOf(one)}  ${one.kept === null ? '' : `stays: ${one.kept}`}`.trimEnd());
  const going = plan.filter(({ kept }) => kept === null);
  if (going.length === 0) return told('There is nothing to drop.', say);
  if (!yes)
    return told(`These ${going.length} would be dropped, and cannot be brought back: again with --yes.`, say);
  await clearOldMonths(db.pool, days);
  const results = [await dropPartitions(db.pool, days)];
  if (journal) results.push(await dropJournalPartitions(db.pool, days));
  return report(results, { asked: going.map(({ name }) => name), say });
}

function told(line: string, say: Say): number {
  say(line);
  return 0;
}

/** What was to go and did not is a failure; a month that had to stay is none. */
function report(results: DropResult[], { asked, say }: { asked: string[]; say: Say }): number {
  const dropped = results.flatMap((result) => result.dropped);
  const left = asked.filter((name) => !dropped.includes(name));
  const reasons = results.flatMap(({ kept }) => kept).filter(({ partition }) => left.includes(partition));
  if (dropped.length > 0) say(`dropped: ${dropped.join(', ')}`);
  for (const { partition, reason } of reasons) say(`${partition} was not dropped: ${reason}. Try again.`);
  if (left.length > 0) say(`not dropped: ${left.join(', ')}`);
  return left.length > 0 ? 1 : 0;
}
