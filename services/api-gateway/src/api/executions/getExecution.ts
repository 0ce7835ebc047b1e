import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { ExecutionDetails, executionDetails } from '../../executions/records.ts';
import { idParams, integerParameter } from '../../http/fields.ts';
import { maxWaitS } from '../../http/requestHeaders.ts';

export const getExecution = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}',
  operationId: 'getExecution',
  tag: 'Executions',
  summary: 'Read an execution',
  description: 'Returns the status and log and, once `COMPLETED`, the result.',
  scope: 'executions:read',
  allowsTokens: true,
  limit: 'other',
  params: idParams('exec', 'id'),
  query: z.object({
    wait: integerParameter({ min: 0, max: maxWaitS, default: 0 }).describe(
      'Maximum number of seconds to wait for the status to change; a final status is returned at once',
    ),
  }),
  responses: { 200: { description: 'The execution', schema: ExecutionDetails } },
  async handle({ context, caller, recheckKey, params, query, publicUrl, raw: { response } }) {
    const read = () => findExecution(context, caller, params.id);
    const known = await read();
    const hasWaited = await context.watcher.waitForChange(known, query.wait * 1000, response);
    if (response.destroyed) return null;
    if (hasWaited) await recheckKey();
    const execution = hasWaited ? await read() : known;
    return { status: 200, body: executionDetails(execution, publicUrl) };
  },
});
