import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { idField } from '../../http/fields.ts';

/** By name: what clients receive has the schema of a response, not of a request. */
const delivered = { $ref: '#/components/schemas/Event' };

const headers = z.object({
  'X-Signature': z.string().meta({
    description:
      'Hex HMAC-SHA256 of `<X-Signature-Timestamp>.<raw body>`, keyed with the secret. After a rotation: with the new secret, or with the previous one if it was rotated with `keep_primary=old`',
    example: '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  }),
  'X-Signature-Timestamp': z.string().meta({ description: 'Unix seconds', example: '1774002600' }),
  'webhook-id': idField('evt', 'The id of the event, as in Standard Webhooks'),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds', example: '1774002600' }),
  'webhook-signature': z.string().meta({
    description:
      'Base64 HMAC-SHA256, as in Standard Webhooks. For 24 hours after a rotation there are two, separated by a space: with the new and with the previous secret. Accept the delivery if either matches',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
  traceparent: z.string().optional().meta({
    description:
      'The trace context of this attempt (W3C Trace Context), if the execution was created with one or the service records traces',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01',
  }),
});

export const eventWebhook: ZodOpenApiPathsObject = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'Receive an event',
      description:
        'Your endpoint receives this request. The field `type` says which event it is. With `payload: "thin"`, `data` of an `execution.*` event has only `id` and `status`; so do events above 256 KiB, with `truncated: true`. `endpoint.*` events have `endpoint_id` instead of `execution_id` and the state of that endpoint in `data`; `batch.*` events have `batch_id` and the counts and cost of that batch. The test event `webhook.test` has neither id. More types may be added: ignore types that you do not know.',
      security: [],
      requestParams: { header: headers },
      requestBody: { required: true, content: { 'application/json': { schema: delivered } } },
      responses: { '2XX': { description: 'The event is delivered. Any other status is retried' } },
    },
  },
};
