import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** How one secret takes the place of another. */
export type SecretRotation = {
  /** The new secret, sealed. */
  sealedSecret: string;
  /** So long the one before it signs too; 0: it ends at once. One that was still valid beside that one ends at once. */
  overlapMs: number;
  /** Whether `X-Signature` stays with the one before it meanwhile. */
  keepsPrimary: boolean;
};

/**
 * What a rotation sets, with these parameters: the new secret, the overlap and whether the primary is kept.
 * `clock_timestamp`, for the statement may have waited for the row.
 */
function rotationSql(column: SecretColumn, parameters: [string, string, string]): string {
  const [sealed, overlapMs, keepsPrimary] = parameters;
  return `${column} = ${sealed},
    previous_${column} = CASE WHEN ${overlapMs}::int > 0 THEN ${column} END,
    previous_${column}_until = CASE WHEN ${overlapMs}::int > 0
      THEN clock_timestamp() + ${overlapMs}::int * interval '1 millisecond' END,
    previous_${column}_is_primary = ${keepsPrimary}`;
}

/** Null when the secret before the new one has ended. */
export type RotatedSecret = { previousSecretValidUntil: Date | null };

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

/** What signs a delivery: an endpoint's secrets, or an organization's for a `webhook_url`. Sealed. */
export type SigningSecrets = {
  secret: string;
  /** The one before it, while deliveries carry its signature too; null otherwise. */
  previousSecret: string | null;
  /** Whether `X-Signature`, which holds one signature, is of the previous one. */
  isPreviousPrimary: boolean;
};

/** Where a secret stands: of an endpoint, or of an organization. The one before it stands beside it in `previous_...`. */
type SecretColumn = 'secret' | 'webhook_secret';

/** The columns of SigningSecrets. */
export function signingSecretsSql(alias: string, column: SecretColumn): string {
  const previous = `${alias}.previous_${column}`;
  return `${alias}.${column} AS secret, CASE WHEN ${previous}_until > now() THEN ${previous} END AS "previousSecret",
  ${previous}_is_primary AS "isPreviousPrimary"`;
}

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
