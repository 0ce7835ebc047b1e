import type { Database } from '@holdfast/db/client';
import {
  listSealed,
  replaceSealed,
  type SealedColumn,
  type SealedRow,
  sealedColumns,
} from '@holdfast/db/secrets';
import type { SealedBox } from '@holdfast/kit/sealedBox';

const pageRows = 500;

/** What became of the secrets of a column that a key other than the first had sealed. */
export type Resealed = { place: string; resealed: number; unopened: string[] };

type Options = { isDryRun: boolean; told: (resealed: Resealed) => void };

/**
 * Seals with the first key of the box what any other of its keys sealed, column by column; `told` hears of each page
 * with the sums of its column. A dry run opens everything and writes nothing.
 */
export async function resealSecrets(db: Database, box: SealedBox, options: Options): Promise<Resealed[]> {
  const results: Resealed[] = [];
  for (const column of sealedColumns) results.push(await resealColumn(db, box, column, options));
  return results;
}

async function resealColumn(
  db: Database,
  box: SealedBox,
  column: SealedColumn,
  { isDryRun, told }: Options,
): Promise<Resealed> {
  const [, ...keyIds] = box.keyIds;
  const sum: Resealed = { place: `${column.table}.${column.column}`, resealed: 0, unopened: [] };
  let page: SealedRow[] = [];
  do {
    page = await listSealed(db, column, { keyIds, after: page.at(-1)?.id ?? '', limit: pageRows });
    const rows = page.map((row) => ({ ...row, resealed: sealedAnew(box, row.sealed) }));
    const opened = rows.flatMap(({ resealed, ...row }) => (resealed === null ? [] : [{ ...row, resealed }]));
    sum.unopened.push(...rows.filter(({ resealed }) => resealed === null).map(({ id }) => id));
    sum.resealed += isDryRun ? opened.length : await replaceSealed(db, column, opened);
    if (page.length > 0) told(sum);
  } while (page.length === pageRows);
  return sum;
}

/** Null for what does not open: it was changed, or its key is another of the same id. */
function sealedAnew(box: SealedBox, sealed: string): string | null {
  try {
    return box.seal(box.open(sealed));
  } catch {
    return null;
  }
}
