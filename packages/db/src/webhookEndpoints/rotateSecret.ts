import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { RotatedSecret, SecretRotation } from '../webhooks/secretRotation.ts';

/**
 * Rotations of one endpoint wait for each other at its row: each finds the secret that the one before it made.
 * Null when the organization has none of that id.
 */
export async function rotateEndpointSecret(
  db: Database,
  organizationId: string,
  id: string,
  { sealedSecret, overlapMs, keepsPrimary }: SecretRotation,
): Promise<RotatedSecret | null> {
  const values = [id, organizationId, sealedSecret, overlapMs, keepsPrimary];
  const [row] = await runStatement<RotatedSecret>(db.pool, 'rotate_endpoint_secret', statement, values);
  return row ?? null;
}

/** `clock_timestamp`, for the statement may have waited for the row. */
const statement = `UPDATE webhook_endpoints SET
    secret = $3,
    previous_secret = CASE WHEN $4::int > 0 THEN secret END,
    previous_secret_until = CASE WHEN $4::int > 0 THEN clock_timestamp() + $4::int * interval '1 millisecond' END,
    previous_secret_is_primary = $5
  WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
  RETURNING previous_secret_until AS "previousSecretValidUntil"`;
