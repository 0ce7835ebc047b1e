import { invalidField } from '@holdfast/domain/errors';
import { type IdPrefix, isId } from '@holdfast/domain/ids';
import { z } from 'zod';
import { integerParameter, timestamp } from './fields.ts';

/** `maxBytes`: the size at which a page ends, for items that may be large. */
export function pageQuery(defaults: { limit: number; maxLimit: number; maxBytes?: number }) {
  const { maxBytes } = defaults;
  const end = maxBytes
    ? `. A page of large items ends earlier, at about ${maxBytes / 2 ** 20} MiB: follow \`has_more\``
    : '';
  return z.object({
    limit: integerParameter({ min: 1, max: defaults.maxLimit, default: defaults.limit }).describe(
      `Maximum number of items to return${end}`,
    ),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page'),
  });
}

export const pageFields = {
  has_more: z.boolean().meta({ description: 'Whether there are more items', example: false }),
  next_cursor: z
    .string()
    .nullable()
    .describe('Pass it as `cursor` to get the next page; null on the last page'),
};

/** As `pageFields`, of a page that looks at a number of `things`, however few of them match. */
export const searchFields = (things: string) => ({
  ...pageFields,
  searched_until: timestamp(`The page looked at all ${things} created after this time`)
    .nullable()
    .describe('Null: at all that the filters allow, or at no more than it returns'),
});

/** @throws INPUT_VALIDATION_ERROR for a cursor that no page returned */
export function checkedCursor(prefix: IdPrefix, cursor: string | undefined): string | undefined {
  if (cursor === undefined || isId(prefix, cursor)) return cursor;
  throw invalidField('cursor', 'INVALID_CURSOR', 'cursor must be the next_cursor of a previous page.');
}

/** A page of rows that were read with a limit one above the page's. The cursor is the id of the last row. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number) {
  return pageBy(rows, limit, ({ id }) => id);
}

/** The same for rows that have another cursor than their id. */
export function pageBy<Row>(rows: Row[], limit: number, cursorOf: (row: Row) => string) {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = items.at(-1);
  return { items, page: pageEnd(hasMore && last ? cursorOf(last) : null) };
}

/** `next`: the cursor of the next page; null on the last one. */
export function pageEnd(next: string | null) {
  return { has_more: next !== null, next_cursor: next };
}

/** An empty page after a cursor is read again: the replica may not have the row of the cursor yet. */
export function isUsablePage(cursor: string | undefined) {
  return ({ length }: { length: number }) => cursor === undefined || length > 0;
}
