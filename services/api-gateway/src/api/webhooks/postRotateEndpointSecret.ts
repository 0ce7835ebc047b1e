import { rotateEndpointSecret } from '@holdfast/db/webhooks/secrets';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';
import {
  exampleSecret,
  overlapEnd,
  RotationQuery,
  rotationDescription,
  rotationOf,
  validUntilOf,
} from './secrets.ts';

const Rotated = z
  .object({
    id: idField('wh'),
    secret: z.string().meta({ description: 'The new secret. Returned only once', example: exampleSecret }),
    previous_secret_valid_until: overlapEnd,
  })
  .meta({ id: 'RotatedWebhookSecret' });

export const postRotateEndpointSecret = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/rotate-secret',
  operationId: 'rotateWebhookEndpointSecret',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook endpoint',
  description: rotationDescription,
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  query: RotationQuery,
  responses: { 200: { description: 'The new secret', schema: Rotated } },
  async handle({ context, caller, params, query }) {
    const id = requireId('wh', params.id, 'webhook endpoint');
    const secret = newWebhookSecret();
    const rotation = rotationOf(query, secret, context.box);
    const rotated = await rotateEndpointSecret(context.db, caller.organizationId, id, rotation);
    if (!rotated) throw notFound('webhook endpoint');
    return { status: 200, body: { id, secret, previous_secret_valid_until: validUntilOf(rotated) } };
  },
});
