import { eventTypes } from '@holdfast/domain/eventTypes';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { exampleExecution } from '../executions/exampleExecution.ts';
import { ExecutionRecord, ExecutionResult } from '../executions/records.ts';
import { idField, timestamp } from '../http/fields.ts';

const type = z.enum(eventTypes).meta({ example: 'execution.completed' });

const usage = { input_tokens: 0, output_tokens: 0 };

const EventExecution = ExecutionRecord.extend({
  usage: ExecutionResult.shape.usage.optional().describe('Once completed'),
  latency_ms: ExecutionResult.shape.latency_ms.optional(),
}).meta({ id: 'EventExecution', example: { ...exampleExecution, usage, latency_ms: 8420 } });

const Event = z
  .object({
    id: idField('evt', 'The same on every attempt: drop what you have seen'),
    type,
    event_type: type.describe('The same as `type`'),
    timestamp: timestamp('When it happened').meta({ example: exampleExecution.completed_at }),
    version: z.literal('1.0'),
    organization_id: idField('org'),
    execution_id: idField('exec'),
    data: EventExecution.describe('The execution; once completed with `usage` and `latency_ms`'),
  })
  .meta({ id: 'Event' });

const signature = z.object({
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
});

/** What clients receive. */
export const eventWebhook: ZodOpenApiPathsObject = {
  'execution-event': {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'What your endpoint receives',
      security: [],
      requestParams: { header: signature },
      requestBody: { required: true, content: { 'application/json': { schema: Event } } },
      responses: { '2XX': { description: 'It is delivered. Anything else is tried again' } },
    },
  },
};
