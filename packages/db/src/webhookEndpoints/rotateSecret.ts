import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type RotatedSecret, rotationSql, type SecretRotation } from '../webhooks/secretRotation.ts';

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

const statement = `UPDATE webhook_endpoints SET ${rotationSql('secret', ['$3', '$4', '$5'])}
  WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL
  RETURNING previous_secret_until AS "previousSecretValidUntil"`;
