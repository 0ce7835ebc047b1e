import { getExecutionWithAttempts } from '@holdfast/db/executions/getWithAttempts';
import { statusRecord } from '@holdfast/domain/executionRecord';
import { z } from 'zod';
import { ExecutionWithLogs } from '../../executions/records.ts';
import { callerlessEndpoint } from '../../http/endpoint.ts';
import { idField, idParams, knownShape, notFound } from '../../http/fields.ts';
import { AttemptRecord, attemptRecord } from '../attemptRecord.ts';

export const getAnyExecution = callerlessEndpoint({
  method: 'GET',
  path: '/admin/v1/executions/{id}',
  tag: 'Executions',
  summary: "Read any organization's execution, with its attempts",
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: {
    200: {
      description: 'The execution',
      schema: ExecutionWithLogs.extend({
        organization_id: idField('org'),
        attempts: z.array(AttemptRecord),
      }).meta({ id: 'ExecutionWithAttempts' }),
    },
  },
  async handle({ context, params }) {
    const found = await getExecutionWithAttempts(context.db, knownShape('exec', params.id, 'execution'));
    if (!found) throw notFound('execution');
    const { execution, attempts } = found;
    const body = {
      ...statusRecord(execution),
      logs: execution.logs,
      organization_id: execution.organizationId,
      attempts: attempts.map(attemptRecord),
    };
    return { status: 200, body };
  },
});
