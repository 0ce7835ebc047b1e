/** What signs a delivery: an endpoint's secrets, or an organization's for a `webhook_url`. Sealed. */
export type SigningSecrets = {
  secret: string;
  /** The one before it, while deliveries carry its signature too; null otherwise. */
  previousSecret: string | null;
  /** Whether `X-Signature`, which holds one signature, is of the previous one. */
  isPreviousPrimary: boolean;
};

/** Where a secret stands: of an endpoint, or of an organization. The one before it stands beside it in `previous_...`. */
export type SecretColumn = 'secret' | 'webhook_secret';

/** The columns of SigningSecrets. */
export function signingSecretsSql(alias: string, column: SecretColumn): string {
  const previous = `${alias}.previous_${column}`;
  return `${alias}.${column} AS secret, CASE WHEN ${previous}_until > now() THEN ${previous} END AS "previousSecret",
  ${previous}_is_primary AS "isPreviousPrimary"`;
}
