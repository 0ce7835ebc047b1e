import type { RotatedSecret, SecretRotation } from '@holdfast/db/webhooks/secrets';
import { invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { SealedBox } from '@holdfast/kit/sealedBox';
import { z } from 'zod';
import { timestamp } from '../../http/fields.ts';

export const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

export const previousSecretValidUntil = timestamp(
  'Until when deliveries are signed with the secret before it, too; null: they are not',
).nullable();

/** As it is after a rotation. */
export const overlapEnd = previousSecretValidUntil.meta({ example: '2026-03-21T10:30:00.000Z' });

export const rotationDescription = `\
For 24 hours \`webhook-signature\` carries a signature by each secret, the new one first, and \`X-Signature\` is by the
new one. Only one secret stays valid beside the new one: when there is another rotation within the 24 hours, the oldest
ends at once.`;

export const RotationQuery = z.strictObject({
  keep_primary: z
    .enum(['old'])
    .optional()
    .describe('`X-Signature` stays with the previous secret for the 24 hours'),
  expire_previous: z
    .enum(['now'])
    .optional()
    .describe('For a secret that leaked: the previous one signs nothing any more'),
});

/** What a client asks for. @throws INPUT_VALIDATION_ERROR */
export function rotationOf(
  query: z.infer<typeof RotationQuery>,
  secret: string,
  box: SealedBox,
): SecretRotation {
  const keepsPrimary = query.keep_primary === 'old';
  const endsPrevious = query.expire_previous === 'now';
  if (keepsPrimary && endsPrevious) {
    const message = 'keep_primary can’t be the old secret when that one expires now.';
    throw invalidField('keep_primary', 'INVALID_VALUE', message);
  }
  const overlapMs = endsPrevious ? 0 : limits.webhookSecretOverlapMs;
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
