import { isTerminal } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { findExecution } from '../../executions/lookup.ts';
import { exampleExecution } from '../../executions/records.ts';
import { recheckKey } from '../../http/auth.ts';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { streamExecution } from '../../watching/eventStream.ts';
import { positionOf } from '../../watching/serverSentEvents.ts';

const example = [
  'retry: 2000',
  `id: 1:::0\nevent: status\ndata: ${JSON.stringify({ id: exampleExecution.id, status: 'PROCESSING' })}`,
  'id: 1:0.25::0\nevent: progress\ndata: {"progress":0.25,"queue_position":null}',
  'id: 1:0.25::12\nevent: log\ndata: {"lines":["Step 1 of 4"]}',
  `id: 3:0.25::12\nevent: status\ndata: ${JSON.stringify({ id: exampleExecution.id, status: 'COMPLETED' })}`,
  '',
].join('\n\n');

export const streamEvents = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}/events',
  tag: 'Executions',
  summary: 'Follow an execution',
  description:
    'Server-sent events: `status` (the status record, which the example cuts short), `progress` (`progress` and `queue_position`) and `log` (`lines`). The stream ends after the status that the execution ended with. With the `id` of the last event as `Last-Event-ID` it goes on from there; 204 when there is nothing left to tell.',
  scope: 'executions:read',
  limit: 'other',
  params: idParams('exec', 'id'),
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .optional()
      .meta({ description: 'The `id` of the last event that you have', example: '1:0.25::12' }),
  }),
  responses: {
    200: { description: 'The events', schema: null, eventStream: example },
    204: { description: 'All was told', schema: null },
  },
  errors: ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  async handle({ context, caller, params, headers, raw: { request, response } }) {
    const read = () => findExecution(context, caller, params.id);
    const execution = await read();
    const from = positionOf(headers['last-event-id']?.toString());
    if (from.status === execution.status && isTerminal(from.status)) {
      response.writeHead(204).end();
      return null;
    }
    const release = context.streams.take(caller.apiKeyId);
    try {
      const mayRead = () => recheckKey(response);
      if (request.method !== 'HEAD')
        await streamExecution({ ...context, execution, read, mayRead, from, response });
      else response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).end();
    } finally {
      release();
    }
    return null;
  },
});
