import type { QueryResultRow } from 'pg';
import type { Queryable } from './client.ts';

/** A statement prepared once per connection under its name. Values are passed as one array per column. */
export async function runStatement<Row extends QueryResultRow>(
  db: Queryable,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await db.query<Row>({ name, text, values });
  return rows;
}
