import { invalidField } from '@holdfast/domain/errors';
import { type IdPrefix, isId } from '@holdfast/domain/ids';
import { z } from 'zod';

/** The query of a list that is read page by page. */
export function pageQuery(defaults: { limit: number; maxLimit: number }) {
  return z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(defaults.maxLimit)
      .default(defaults.limit)
      .describe('How many to answer at most'),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
  });
}

/** What every list carries beside its items. */
export const pageFields = {
  has_more: z.boolean().meta({ description: 'Whether there are more', example: false }),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` to read on; null on the last page'),
};

/** @throws INPUT_VALIDATION_ERROR for a cursor that none of our pages gave */
export function checkedCursor(prefix: IdPrefix, cursor: string | undefined): string | undefined {
  if (cursor === undefined || isId(prefix, cursor)) return cursor;
  throw invalidField('cursor', 'INVALID_CURSOR', 'cursor must be the next_cursor of an earlier page.');
}

/** Cuts rows that were read with a limit of one more than the page's. The cursor is the last row's id. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number) {
  return pageBy(rows, limit, ({ id }) => id);
}

/** The same of rows that something else than an id tells apart. */
export function pageBy<Row>(rows: Row[], limit: number, cursorOf: (row: Row) => string) {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = items.at(-1);
  const page = { has_more: hasMore, next_cursor: hasMore && last ? cursorOf(last) : null };
  return { items, page };
}

/**
 * For a page that was read from a replica: with a cursor, an empty one is asked for again, for it may be that the cursor's
 * row has not come there yet.
 */
export function isWholePage(cursor: string | undefined) {
  return ({ length }: { length: number }) => cursor === undefined || length > 0;
}
