/**
 * For a page that was read from a replica: with a cursor, an empty one is asked for again, for it may be that the cursor's
 * row has not come there yet.
 */
export function isWholePage(cursor: string | undefined) {
  return ({ length }: { length: number }) => cursor === undefined || length > 0;
}
