import type { Database } from './client.ts';

export type SealedColumn = { table: 'organizations' | 'webhook_endpoints'; column: string };

/** `previous_...` comes after its column: a rotation during a scan moves a secret there. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'organizations', column: 'webhook_secret' },
  { table: 'organizations', column: 'previous_webhook_secret' },
  { table: 'webhook_endpoints', column: 'secret' },
  { table: 'webhook_endpoints', column: 'previous_secret' },
  { table: 'webhook_endpoints', column: 'headers' },
];

/** The key id of a text sealed by kit/sealedBox. */
export const keyIdSql = (sealed: string) => `split_part(${sealed}, '.', 1)`;

export async function countSecrets(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ keyId: string; secrets: number }>(statement);
  return new Map(rows.map(({ keyId, secrets }) => [keyId, secrets]));
}

const everySecret = sealedColumns.map(({ table, column }) => `SELECT ${column} AS sealed FROM ${table}`);

const statement = `SELECT ${keyIdSql('sealed')} AS "keyId", count(*)::int AS secrets
  FROM (${everySecret.join(' UNION ALL ')}) AS every WHERE sealed <> '' GROUP BY 1 ORDER BY 1`;

export async function eraseUnneededSecrets(db: Database): Promise<void> {
  await db.pool.query(ofOrganizations);
  await db.pool.query(ofEndpoints);
}

const ofOrganizations = `WITH held AS MATERIALIZED (
    SELECT id FROM organizations WHERE previous_webhook_secret_until <= now() ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE organizations o SET previous_webhook_secret = NULL, previous_webhook_secret_until = NULL,
    previous_webhook_secret_is_primary = false
  FROM held h WHERE o.id = h.id`;

const ofEndpoints = `WITH held AS MATERIALIZED (
    SELECT id FROM webhook_endpoints
    WHERE previous_secret_until <= now() OR (deleted_at IS NOT NULL AND secret <> '') ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE webhook_endpoints w SET previous_secret = NULL, previous_secret_until = NULL,
    previous_secret_is_primary = false,
    secret = CASE WHEN w.deleted_at IS NULL THEN w.secret ELSE '' END,
    headers = CASE WHEN w.deleted_at IS NULL THEN w.headers END
  FROM held h WHERE w.id = h.id`;

export type SealedRow = { id: string; sealed: string };

export async function listSealed(
  db: Database,
  { table, column }: SealedColumn,
  page: { keyIds: readonly string[]; after: string; limit: number },
): Promise<SealedRow[]> {
  const { rows } = await db.pool.query<SealedRow>(
    `SELECT id, ${column} AS sealed FROM ${table}
     WHERE id > $1 AND ${keyIdSql(column)} = ANY ($2::text[]) ORDER BY id LIMIT $3`,
    [page.after, page.keyIds, page.limit],
  );
  return rows;
}

/** Replaces each text that has not changed since it was read; returns how many. Locked in order of id. */
export async function replaceSealed(
  db: Database,
  { table, column }: SealedColumn,
  rows: (SealedRow & { resealed: string })[],
): Promise<number> {
  const { rowCount } = await db.pool.query(
    `WITH held AS MATERIALIZED (SELECT id FROM ${table} WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE)
     UPDATE ${table} t SET ${column} = r.resealed
     FROM unnest($1::text[], $2::text[], $3::text[]) AS r (id, sealed, resealed) JOIN held h ON h.id = r.id
     WHERE t.id = r.id AND t.${column} = r.sealed`,
    [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed), rows.map(({ resealed }) => resealed)],
  );
  return rowCount ?? 0;
}
