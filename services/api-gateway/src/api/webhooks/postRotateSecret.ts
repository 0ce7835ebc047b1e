import { rotateWebhookSecret } from '@holdfast/db/webhooks/secrets';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { endpoint } from '../../context/endpoint.ts';
import { RotationQuery, rotationDescription, rotationOf, validUntilOf, WebhookSecret } from './secrets.ts';

export const postRotateSecret = endpoint({
  method: 'POST',
  path: '/v1/webhooks/secret/rotate',
  operationId: 'rotateWebhookSecret',
  tag: 'Webhooks',
  summary: 'Rotate the secret of `webhook_url` deliveries',
  description: rotationDescription,
  scope: 'webhooks',
  limit: 'other',
  query: RotationQuery,
  responses: { 200: { description: 'The new secret', schema: WebhookSecret } },
  async handle({ context, caller, query }) {
    const secret = newWebhookSecret();
    const rotation = rotationOf(query, secret, context.box);
    const rotated = await rotateWebhookSecret(context.db, caller.organizationId, rotation);
    return { status: 200, body: { secret, previous_secret_valid_until: validUntilOf(rotated) } };
  },
});
