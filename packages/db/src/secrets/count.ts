import type { Database } from '../client.ts';
import { keyIdSql, sealedColumns } from './sealedColumns.ts';

/** How many secrets are sealed with each key, by its id. */
export async function countSecrets(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ keyId: string; secrets: number }>(statement);
  return new Map(rows.map(({ keyId, secrets }) => [keyId, secrets]));
}

const everySecret = sealedColumns.map(({ table, column }) => `SELECT ${column} AS sealed FROM ${table}`);

const statement = `SELECT ${keyIdSql('sealed')} AS "keyId", count(*)::int AS secrets
  FROM (${everySecret.join(' UNION ALL ')}) AS every WHERE sealed <> '' GROUP BY 1 ORDER BY 1`;
