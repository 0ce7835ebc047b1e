import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import { type RotatedSecret, rotationSql, type SecretRotation } from '../webhooks/secretRotation.ts';

/** The sealed secret that signs what an execution's `webhook_url` receives. */
export async function getWebhookSecret(
  db: Database,
  organizationId: string,
): Promise<RotatedSecret & { sealedSecret: string }> {
  const [row] = await runStatement<RotatedSecret & { sealedSecret: string }>(
    db.pool,
    'get_webhook_secret',
    select,
    [organizationId],
  );
  if (!row) throw new Error(`there is no organization ${organizationId}`);
  return row;
}

/** Rotations of one organization wait for each other at its row, as those of an endpoint do. */
export async function rotateWebhookSecret(
  db: Database,
  organizationId: string,
  { sealedSecret, overlapMs, keepsPrimary }: SecretRotation,
): Promise<RotatedSecret> {
  const values = [organizationId, sealedSecret, overlapMs, keepsPrimary];
  const [row] = await runStatement<RotatedSecret>(db.pool, 'rotate_webhook_secret', rotate, values);
  if (!row) throw new Error(`there is no organization ${organizationId}`);
  return row;
}

const select = `SELECT webhook_secret AS "sealedSecret", CASE WHEN previous_webhook_secret_until > now()
    THEN previous_webhook_secret_until END AS "previousSecretValidUntil"
  FROM organizations WHERE id = $1`;

const rotate = `UPDATE organizations SET ${rotationSql('webhook_secret', ['$2', '$3', '$4'])}
  WHERE id = $1
  RETURNING previous_webhook_secret_until AS "previousSecretValidUntil"`;
