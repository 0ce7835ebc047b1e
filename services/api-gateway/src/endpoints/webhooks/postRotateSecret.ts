import { setWebhookSecret } from '@holdfast/db/organizations/webhookSecret';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { endpoint } from '../../http/endpoint.ts';
import { WebhookSecret } from './secretRecord.ts';

export const postRotateSecret = endpoint({
  method: 'POST',
  path: '/v1/webhooks/secret/rotate',
  tag: 'Webhooks',
  summary: 'Replace the secret of `webhook_url` deliveries',
  description: 'Every attempt from now on is signed with the new secret.',
  permission: 'full',
  limit: 'other',
  responses: { 200: { description: 'The new secret', schema: WebhookSecret } },
  async handle({ context, caller }) {
    const secret = newWebhookSecret();
    await setWebhookSecret(context.db, caller.organizationId, context.box.seal(secret));
    return { status: 200, body: { secret } };
  },
});
