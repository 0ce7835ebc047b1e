import type { Queryable } from '../client.ts';

const idsPerQuery = 5000;

/** Returns which of these executions neither the table nor the journal has. An expired month leaves its journal. */
export async function unknownExecutions(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const { rows } = await db.query<{ id: string }>(statement, [ids.slice(from, from + idsPerQuery)]);
    unknown.push(...rows.map(({ id }) => id));
  }
  return unknown;
}

const statement = `SELECT given.id FROM unnest($1::text[]) AS given (id)
  WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = given.id)
    AND NOT EXISTS (SELECT FROM transfers t WHERE t.execution_id = given.id)
  ORDER BY 1`;
