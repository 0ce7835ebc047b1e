import type { SecretColumn } from './signingSecrets.ts';

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
export function rotationSql(column: SecretColumn, parameters: [string, string, string]): string {
  const [sealed, overlapMs, keepsPrimary] = parameters;
  return `${column} = ${sealed},
    previous_${column} = CASE WHEN ${overlapMs}::int > 0 THEN ${column} END,
    previous_${column}_until = CASE WHEN ${overlapMs}::int > 0
      THEN clock_timestamp() + ${overlapMs}::int * interval '1 millisecond' END,
    previous_${column}_is_primary = ${keepsPrimary}`;
}

/** Null when the secret before the new one has ended. */
export type RotatedSecret = { previousSecretValidUntil: Date | null };
