import { statusRecord } from '@holdfast/domain/executionRecord';
import { findExecution } from '../../executions/findExecution.ts';
import { ExecutionWithLogs } from '../../executions/records.ts';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';

export const getExecution = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}',
  tag: 'Executions',
  summary: 'Read an execution',
  description: 'Its status and log, and once it is `COMPLETED` its result.',
  permission: 'execution',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: { 200: { description: 'The execution', schema: ExecutionWithLogs } },
  async handle({ context, caller, params }) {
    const execution = await findExecution(context, caller.organizationId, params.id);
    return { status: 200, body: { ...statusRecord(execution), logs: execution.logs } };
  },
});
