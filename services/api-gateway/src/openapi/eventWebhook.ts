import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { idField } from '../http/fields.ts';

/** By name: they are what is sent, not what is taken, and stand among the answers of `/v1/events`. */
const delivered = {
  anyOf: ['Event', 'ThinEvent', 'EndpointEvent'].map((id) => ({ $ref: `#/components/schemas/${id}` })),
};

const headers = z.object({
  'X-Signature': z.string().meta({
    description:
      'Hex HMAC-SHA256 of `<X-Signature-Timestamp>.<raw body>`, keyed with the secret; after a rotation with the new one, unless `keep_primary=old` was asked for',
    example: '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  }),
  'X-Signature-Timestamp': z.string().meta({ description: 'Unix seconds', example: '1774002600' }),
  'webhook-id': idField('evt', 'The event, as Standard Webhooks has it'),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds', example: '1774002600' }),
  'webhook-signature': z.string().meta({
    description:
      'Base64 HMAC-SHA256, as Standard Webhooks has it: for 24 hours after a rotation two, with a blank between, by the new secret and by the one before it. Any one that fits will do',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
  traceparent: z.string().optional().meta({
    description:
      'The place of this attempt in the trace of the execution (W3C Trace Context), when its create was sent with one or the service is traced',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01',
  }),
});

/** What clients receive. */
export const eventWebhook: ZodOpenApiPathsObject = {
  'execution-event': {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'What your endpoint receives',
      description:
        'The body is that of `execution.*`. With `payload: "thin"` its `data` is `id` and `status` alone, and so is that of an event over 256 KiB, with `truncated: true`. `endpoint.*` has `endpoint_id` in place of `execution_id`, and in `data` what became of that endpoint; `webhook.test`, the test event, has neither. There will be more types: pass over those that you don’t know.',
      security: [],
      requestParams: { header: headers },
      requestBody: { required: true, content: { 'application/json': { schema: delivered } } },
      responses: { '2XX': { description: 'It is delivered. Anything else is tried again' } },
    },
  },
};
