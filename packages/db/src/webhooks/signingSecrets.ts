/** What signs a delivery: an endpoint's secrets, or an organization's for a `webhook_url`. Sealed. */
export type SigningSecrets = {
  secret: string;
  /** The one before it, while deliveries carry its signature too; null otherwise. */
  previousSecret: string | null;
  /** Whether `X-Signature`, which holds one signature, is of the previous one. */
  isPreviousPrimary: boolean;
};

/** The columns of SigningSecrets for an endpoint `w`. */
export const endpointSecretsSql = `w.secret,
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS "previousSecret",
  w.previous_secret_is_primary AS "isPreviousPrimary"`;

/** The columns of SigningSecrets for an organization `o`. */
export const organizationSecretsSql = `o.webhook_secret AS secret,
  CASE WHEN o.previous_webhook_secret_until > now() THEN o.previous_webhook_secret END AS "previousSecret",
  o.previous_webhook_secret_is_primary AS "isPreviousPrimary"`;
