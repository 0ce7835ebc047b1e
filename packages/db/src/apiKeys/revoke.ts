import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { isOwn } from './isOwn.ts';

/** Revokes a key, again if need be; false when the organization has none of that id. */
export async function revokeApiKey(db: Database, organizationId: string, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'revoke_api_key', statement, [id, organizationId]);
  return rows.length > 0;
}

const statement = `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
  WHERE id = $1 AND ${isOwn} RETURNING id`;
