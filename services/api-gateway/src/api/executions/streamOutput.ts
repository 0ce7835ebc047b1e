import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import { cancelUnlessEnded } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { executionRecord } from '../../executions/records.ts';
import { idParams, integerParameter } from '../../http/fields.ts';
import { doneId, streamOutputTo } from '../../watching/outputStream.ts';
import { streamHolder } from './streamEvents.ts';

const example = [
  'retry: 2000',
  'id: 1\nevent: output\ndata: {"delta":"Once "}',
  'id: 2\nevent: output\ndata: {"delta":"upon a time"}',
  'id: 3\nevent: done\ndata: {"status":"COMPLETED","usage":{"input_tokens":3,"output_tokens":4},"cost":"0.0003","finish_reason":"stop","error":null}',
  '',
].join('\n\n');

const maxEventNumber = 2_147_483_647;

export const streamOutput = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}/stream',
  operationId: 'streamExecutionOutput',
  tag: 'Executions',
  summary: 'Read the output as it is made',
  description:
    'Streams server-sent events, numbered without a gap: `output` (`delta`: text, a JSON value, or base64 of audio; or `image`: the file of a partial image, which the whole output follows), `progress`, `logs` (`lines`), `reset` (the output begins again) and `done` (`status`, `usage`, `cost`, `finish_reason`, `error`). Every event was stored before it is sent, so the stream can be resumed after anything, by `Last-Event-ID` or `starting_after`; 204 after `done`. An hour after the end the output comes as one event. An execution that was not created with `stream: true` has one `output` and `done`.',
  scope: 'executions:read',
  allowsTokens: true,
  limit: 'other',
  params: idParams('exec', 'id'),
  query: z.object({
    starting_after: integerParameter({ min: 0, max: maxEventNumber, default: 0 }).describe(
      'The `id` of the last event received; `Last-Event-ID` takes precedence',
    ),
    cancel_on_disconnect: z
      .stringbool()
      .default(false)
      .describe(
        'Cancels the execution when this client disconnects before the end. Needs `executions:write`, or the token of `urls.stream`',
      ),
    token: z.string().optional().describe('An execution token, where no header can be sent'),
  }),
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .optional()
      .meta({ description: 'The `id` of the last event received', example: '2' }),
  }),
  responses: {
    200: { description: 'The events', schema: null, eventStream: example },
    204: { description: 'There are no further events', schema: null },
  },
  errors: ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  async handle({
    context,
    caller,
    recheckKey,
    params,
    query,
    headers,
    publicUrl,
    raw: { request, response },
  }) {
    const mayCancel = caller.scopes.includes('executions:write') || caller.token?.mayCancel === true;
    if (query.cancel_on_disconnect && !mayCancel)
      throw new ApiError('FORBIDDEN', '`cancel_on_disconnect` requires the scope `executions:write`.');
    const read = () => findExecution(context, caller, params.id);
    const { id, status } = await read();
    const after = positionOf(headers['last-event-id']?.toString()) ?? query.starting_after;
    const page = isTerminal(status) ? await context.outputReader.add({ id, after }) : null;
    if (page !== null && after >= doneId(page)) {
      response.writeHead(204).end();
      return null;
    }
    const release = context.streams.take(caller.organizationId, streamHolder(caller));
    try {
      if (request.method === 'HEAD') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' }).end();
        return null;
      }
      const recordOf = (one: Execution) => executionRecord(one, publicUrl);
      const { hasLeft } = await streamOutputTo({
        ...context,
        id,
        after,
        read,
        recordOf,
        checkKey: recheckKey,
        hold: context.responses.open(caller.organizationId),
        response,
      });
      if (hasLeft && query.cancel_on_disconnect) await cancelUnlessEnded(context, caller.organizationId, id);
    } finally {
      release();
    }
    return null;
  },
});

/** Null: it is no id of an event. */
function positionOf(id: string | undefined): number | null {
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : null;
}
