import type { Database } from '@holdfast/db/client';
import {
  countSecrets,
  eraseUnneededSecrets,
  listSealed,
  replaceSealed,
  type SealedColumn,
  type SealedRow,
  sealedColumns,
} from '@holdfast/db/secrets';
import { readFlags } from '@holdfast/kit/flags';
import { createSealedBox, type SealedBox } from '@holdfast/kit/sealedBox';
import type { Context } from '../command.ts';
import { sealingKeys } from '../config.ts';

/** 0: every secret is (in a dry run: can be) sealed with the first key; 1: some are not. */
export async function secretsReencrypt(
  args: string[],
  { openDatabase, print, report }: Context,
): Promise<number> {
  const { 'dry-run': isDryRun } = readFlags(args, { 'dry-run': { type: 'boolean', default: false } });
  const box = createSealedBox(sealingKeys());
  const db = await openDatabase();
  if (!isDryRun) await eraseUnneededSecrets(db);
  const done = isDryRun ? 'can be resealed' : 'resealed';
  const results = await resealSecrets(db, box, {
    isDryRun,
    onProgress: ({ column, resealed }) => report(`${column}: ${resealed} ${done}`),
  });
  for (const { column, unopened } of results) {
    for (const id of unopened)
      print(`${column} of ${id} can't be opened: its key is another one, or it was changed`);
  }
  const counts = await countSecrets(db);
  printCounts(counts, box.keyIds, print);
  const resealed = results.reduce((sum, result) => sum + result.resealed, 0);
  return printResult({ counts, keyIds: box.keyIds, isDryRun, resealed }, print);
}

function printCounts(counts: Map<string, number>, keyIds: readonly string[], print: Context['print']): void {
  const unknown = [...counts.keys()].filter((id) => !keyIds.includes(id));
  for (const id of keyIds)
    print(`${id}: ${counts.get(id) ?? 0}${id === keyIds[0] ? ', the sealing key' : ''}`);
  for (const id of unknown) print(`${id}: ${counts.get(id)}, not in ENCRYPTION_KEYS`);
}

type Result = {
  counts: Map<string, number>;
  keyIds: readonly [string, ...string[]];
  isDryRun: boolean;
  resealed: number;
};

function printResult({ counts, keyIds, isDryRun, resealed }: Result, print: Context['print']): number {
  const [first, ...others] = keyIds;
  const left = [...counts].reduce((sum, [id, secrets]) => (id === first ? sum : sum + secrets), 0);
  const stuck = left - (isDryRun ? resealed : 0);
  if (stuck > 0) {
    print(
      `${stuck} secrets are not sealed with ${first} yet. Make ${first} the first key of every service, then run this again.`,
    );
    return 1;
  }
  if (isDryRun) print(`${resealed} would be sealed with ${first}. Nothing was changed.`);
  else
    print(
      `Every secret is sealed with ${first}${others.length > 0 ? `: ${others.join(', ')} can be removed` : ''}.`,
    );
  return 0;
}

const pageRows = 500;

/** The result for the secrets of a column that another key than the first had sealed. */
type Resealed = { column: string; resealed: number; unopened: string[] };

type Options = { isDryRun: boolean; onProgress: (resealed: Resealed) => void };

/** Seals with the first key all that other keys of the box sealed. A dry run opens everything and writes nothing. */
async function resealSecrets(db: Database, box: SealedBox, options: Options): Promise<Resealed[]> {
  const results: Resealed[] = [];
  for (const column of sealedColumns) results.push(await resealColumn(db, box, column, options));
  return results;
}

async function resealColumn(
  db: Database,
  box: SealedBox,
  column: SealedColumn,
  { isDryRun, onProgress }: Options,
): Promise<Resealed> {
  const [, ...keyIds] = box.keyIds;
  const sum: Resealed = { column: `${column.table}.${column.column}`, resealed: 0, unopened: [] };
  let page: SealedRow[] = [];
  do {
    page = await listSealed(db, column, { keyIds, after: page.at(-1)?.id ?? '', limit: pageRows });
    const rows = page.map((row) => ({ ...row, resealed: reseal(box, row.sealed) }));
    const opened = rows.flatMap(({ resealed, ...row }) => (resealed === null ? [] : [{ ...row, resealed }]));
    sum.unopened.push(...rows.filter(({ resealed }) => resealed === null).map(({ id }) => id));
    sum.resealed += isDryRun ? opened.length : await replaceSealed(db, column, opened);
    if (page.length > 0) onProgress(sum);
  } while (page.length === pageRows);
  return sum;
}

/** Null when it can't be opened: it was changed, or its key is another of the same id. */
function reseal(box: SealedBox, sealed: string): string | null {
  try {
    return box.seal(box.open(sealed));
  } catch {
    return null;
  }
}
