import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { operatorKeyId } from '../../access/callers.ts';
import { type Caller } from '../../access/identity.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { exampleExecution, executionRecord } from '../../executions/records.ts';
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
  operationId: 'streamExecutionEvents',
  tag: 'Executions',
  summary: 'Follow an execution',
  description:
    'Streams server-sent events: `status` (the status record, shortened in the example), `progress` (`progress` and `queue_position`) and `log` (`lines`). The stream ends after the final status. Send the `id` of the last event received as `Last-Event-ID` to resume; 204 when there are no further events.',
  scope: 'executions:read',
  allowsTokens: true,
  limit: 'other',
  params: idParams('exec', 'id'),
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .optional()
      .meta({ description: 'The `id` of the last event received', example: '1:0.25::12' }),
  }),
  responses: {
    200: { description: 'The events', schema: null, eventStream: example },
    204: { description: 'There are no further events', schema: null },
  },
  errors: ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  async handle({ context, caller, recheckKey, params, headers, publicUrl, raw: { request, response } }) {
    const read = () => findExecution(context, caller, params.id);
    const execution = await read();
    const from = positionOf(headers['last-event-id']?.toString());
    if (from.status === execution.status && isTerminal(from.status)) {
      response.writeHead(204).end();
      return null;
    }
    const release = context.streams.take(caller.organizationId, streamHolder(caller));
    try {
      const recordOf = (one: Execution) => executionRecord(one, publicUrl);
      const checkKey = recheckKey;
      const hold = context.responses.open(caller.organizationId);
      if (request.method !== 'HEAD')
        await streamExecution({ ...context, execution, read, recordOf, checkKey, from, hold, response });
      else response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).end();
    } finally {
      release();
    }
    return null;
  },
});

/** As for rate limits; what operators and their portal sessions open counts for the organization. */
export function streamHolder({ token, session, apiKeyId, organizationId }: Caller): string {
  if (session) return `portal ${organizationId}`;
  if (apiKeyId === operatorKeyId) return `operator ${organizationId}`;
  return token?.executionId ?? apiKeyId;
}
