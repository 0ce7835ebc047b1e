import { getWebhookSecret } from '@holdfast/db/webhooks/secrets';
import { endpoint } from '../../context/endpoint.ts';
import { validUntilOf, WebhookSecret } from './secrets.ts';

export const getSecret = endpoint({
  method: 'GET',
  path: '/v1/webhooks/secret',
  operationId: 'getWebhookSecret',
  tag: 'Webhooks',
  summary: 'Read the secret of `webhook_url` deliveries',
  description:
    'This secret signs deliveries to the `webhook_url` of executions. Each endpoint has its own secret.',
  scope: 'webhooks',
  limit: 'other',
  responses: { 200: { description: 'The secret', schema: WebhookSecret } },
  async handle({ context, caller }) {
    const row = await getWebhookSecret(context.db, caller.organizationId);
    const secret = context.box.open(row.sealedSecret);
    return { status: 200, body: { secret, previous_secret_valid_until: validUntilOf(row) } };
  },
});
