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
import { readArguments, UsageError, wholeNumber } from '@holdfast/kit/flags';
import type { Context } from '../command.ts';

type Print = (line: string) => void;

export async function partitions(
  args: string[],
  { openDatabase, print }: Pick<Context, 'openDatabase' | 'print'>,
): Promise<number> {
  const { positionals, values } = read(args);
  const [action, ...rest] = positionals;
  if (rest.length > 0)
    throw new UsageError(`unexpected "${rest.join(' ')}" after holdfast partitions ${action}`);
  if (action === undefined || !isAction(action))
    throw new UsageError('holdfast partitions takes list, make or drop');
  refuseForeign(action, values);
  if (action === 'list') return list(await listPartitions((await openDatabase()).pool), print);
  if (action === 'make') {
    const months = wholeNumber('--months', values.months ?? String(monthsAhead), { min: 0, max: 24 });
    return await make(await openDatabase(), months, print);
  }
  const days = wholeNumber('--older-than-days', values['older-than-days'] ?? '', { min: 30, max: 999_999 });
  const { 'including-journal': journal = false, yes = false } = values;
  return await drop(await openDatabase(), { days, journal, yes }, print);
}

const options = {
  months: { type: 'string' },
  'older-than-days': { type: 'string' },
  'including-journal': { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

/** The flags of each action. */
const actions: Record<'list' | 'make' | 'drop', readonly string[]> = {
  list: [],
  make: ['months'],
  drop: ['older-than-days', 'including-journal', 'yes'],
};

const isAction = (word: string): word is keyof typeof actions => Object.hasOwn(actions, word);

const read = (args: string[]) => readArguments(args, options);

function refuseForeign(action: keyof typeof actions, values: object): void {
  const foreign = Object.keys(values).find((flag) => !actions[action].includes(flag));
  if (foreign) throw new UsageError(`holdfast partitions ${action} takes no --${foreign}`);
}

function list(all: Partition[], print: Print): number {
  for (const partition of all) print(lineOf(partition));
  return 0;
}

const lineOf = ({ month, name, rows, bytes }: Partition) =>
  `${month}  ${name.padEnd(25)}  ${String(rows ?? '?').padStart(12)} rows  ${megabytes(bytes).padStart(10)} MB`;

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

async function make(db: Database, months: number, print: Print): Promise<number> {
  const made = await makePartitions(db.pool, months);
  print(made.length === 0 ? 'All of them exist already.' : `made: ${made.join(', ')}`);
  return 0;
}

async function drop(
  db: Database,
  { days, journal, yes }: { days: number; journal: boolean; yes: boolean },
  print: Print,
): Promise<number> {
  const plan = await planDrop(db.pool, days, journal);
  for (const one of plan) print(`${lineOf(one)}  ${one.kept === null ? '' : `kept: ${one.kept}`}`.trimEnd());
  const droppable = plan.filter(({ kept }) => kept === null);
  if (droppable.length === 0) {
    print('There is nothing to drop.');
    return 0;
  }
  if (!yes) {
    print(`These ${droppable.length} would be dropped for good: repeat with --yes to do it.`);
    return 0;
  }
  await clearOldMonths(db.pool, days);
  const results = [await dropPartitions(db.pool, days)];
  if (journal) results.push(await dropJournalPartitions(db.pool, days));
  return report(results, { planned: droppable.map(({ name }) => name), print });
}

/** A partition that could not be dropped is a failure; one that must be kept is not. */
function report(results: DropResult[], { planned, print }: { planned: string[]; print: Print }): number {
  const dropped = results.flatMap((result) => result.dropped);
  const left = planned.filter((name) => !dropped.includes(name));
  const reasons = results.flatMap(({ kept }) => kept).filter(({ partition }) => left.includes(partition));
  if (dropped.length > 0) print(`dropped: ${dropped.join(', ')}`);
  for (const { partition, reason } of reasons) print(`${partition} was not dropped: ${reason}. Try again.`);
  if (left.length > 0) print(`not dropped: ${left.join(', ')}`);
  return left.length > 0 ? 1 : 0;
}
