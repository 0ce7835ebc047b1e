import type { Queryable } from '../client.ts';

/** How far ahead the months are made: time to see that they are not. */
export const monthsAhead = 3;

/**
 * Makes the partitions that are missing up to `months` months from now, and answers their names. Any number of callers
 * go one by one.
 */
export async function makePartitions(pool: Queryable, months: number = monthsAhead): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('SELECT make_partitions($1::int) AS name', [months]);
  return rows.map(({ name }) => name);
}
