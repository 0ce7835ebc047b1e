/** How one secret takes the place of another. */
export type SecretRotation = {
  /** The new secret, sealed. */
  sealedSecret: string;
  /** So long the one before it signs too; 0: it ends at once. One that was still valid beside that one ends at once. */
  overlapMs: number;
  /** Whether `X-Signature` stays with the one before it meanwhile. */
  keepsPrimary: boolean;
};

/** Null when the secret before the new one has ended. */
export type RotatedSecret = { previousSecretValidUntil: Date | null };
