import type { RotatedSecret, SecretRotation } from '@holdfast/db/webhooks/secrets';
import { invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { z } from 'zod';
import { timestamp } from '../../http/fields.ts';

export const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

export const previousSecretValidUntil = timestamp(
  'Until when deliveries are also signed with the previous secret; null: they are not',
).nullable();

/** With an example as after a rotation. */
export const overlapEnd = previousSecretValidUntil.meta({ example: '2026-03-21T10:30:00.000Z' });

export const rotationDescription = `\
For 24 hours \`webhook-signature\` has a signature with the new secret, then one with the previous secret; \`X-Signature\`
uses the new one. Only one previous secret stays valid: a second rotation within the 24 hours invalidates the oldest at
once.`;

export const RotationQuery = z.strictObject({
  keep_primary: z
    .enum(['old'])
    .optional()
    .describe('`old`: `X-Signature` uses the previous secret for the 24 hours'),
  expire_previous: z
    .enum(['now'])
    .optional()
    .describe('`now`: the previous secret is invalid at once, for example after a leak'),
});

/** @throws INPUT_VALIDATION_ERROR when the two parameters contradict each other */
export function rotationOf(
  query: z.infer<typeof RotationQuery>,
  secret: string,
  box: SealedBox,
): SecretRotation {
  const keepsPrimary = query.keep_primary === 'old';
  const expiresPrevious = query.expire_previous === 'now';
  if (keepsPrimary && expiresPrevious) {
    const message = 'keep_primary=old and expire_previous=now cannot be combined.';
    throw invalidField('keep_primary', 'INVALID_VALUE', message);
  }
  const overlapMs = expiresPrevious ? 0 : limits.webhookSecretOverlapMs;
  return { sealedSecret: box.seal(secret), overlapMs, keepsPrimary };
}

export const validUntilOf = ({ previousSecretValidUntil: until }: RotatedSecret) =>
  until?.toISOString() ?? null;

export const WebhookSecret = z
  .object({
    secret: z.string().meta({ example: exampleSecret }),
    previous_secret_valid_until: overlapEnd,
  })
  .meta({ id: 'WebhookSecret' });
