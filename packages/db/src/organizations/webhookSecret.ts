import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { RotatedSecret, SecretRotation } from '../webhooks/secretRotation.ts';

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

/** `clock_timestamp`, for the statement may have waited for the row. */
const rotate = `UPDATE organizations SET
    webhook_secret = $2,
    previous_webhook_secret = CASE WHEN $3::int > 0 THEN webhook_secret END,
    previous_webhook_secret_until = CASE WHEN $3::int > 0 THEN clock_timestamp() + $3::int * interval '1 millisecond' END,
    previous_webhook_secret_is_primary = $4
  WHERE id = $1
  RETURNING previous_webhook_secret_until AS "previousSecretValidUntil"`;
