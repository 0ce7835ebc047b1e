import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

export type SecretRotation = {
  sealedSecret: string;
  /** How long the previous secret signs too; 0: not at all. The one before that ends at once. */
  overlapMs: number;
  /** Whether `X-Signature` stays with the previous secret meanwhile. */
  keepsPrimary: boolean;
};

function rotationSql(column: SecretColumn, parameters: [string, string, string]): string {
  const [sealed, overlapMs, keepsPrimary] = parameters;
  return `${column} = ${sealed},
    previous_${column} = CASE WHEN ${overlapMs}::int > 0 THEN ${column} END,
    previous_${column}_until = CASE WHEN ${overlapMs}::int > 0
      THEN clock_timestamp() + ${overlapMs}::int * interval '1 millisecond' END,
    previous_${column}_is_primary = ${keepsPrimary}`;
}

export type RotatedSecret = { previousSecretValidUntil: Date | null };

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

/** Sealed secrets of an endpoint, or of the organization for a `webhook_url`. */
export type SigningSecrets = {
  secret: string;
  previousSecret: string | null;
  isPreviousPrimary: boolean;
};

type SecretColumn = 'secret' | 'webhook_secret';

export function signingSecretsSql(alias: string, column: SecretColumn): string {
  const previous = `${alias}.previous_${column}`;
  return `${alias}.${column} AS secret, CASE WHEN ${previous}_until > now() THEN ${previous} END AS "previousSecret",
  ${previous}_is_primary AS "isPreviousPrimary"`;
}

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
