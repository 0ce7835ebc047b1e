/** What an error of the attempt `row` says without words that may name a host: its stage, or `answered 500`. */
export const stageSql = (row: string) => `CASE WHEN ${row}.status_code IS NULL
  THEN coalesce(${row}.stage, split_part(${row}.error, ':', 1)) ELSE split_part(${row}.error, ':', 1) END`;
