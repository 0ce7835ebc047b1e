import { getExecutionWithAttempts } from '@holdfast/db/executions/read';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { ExecutionWithLogs, executionRecord } from '../../executions/records.ts';
import { keylessEndpoint } from '../../http/endpoint.ts';
import { amount, idField, idParams, notFound, requireId } from '../../http/fields.ts';
import { AttemptRecord, attemptRecord } from '../attemptRecord.ts';

export const getAnyExecution = keylessEndpoint({
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
        logs: z
          .string()
          .nullable()
          .describe("The provider's log, including logs that are not shown to clients"),
        organization_id: idField('org'),
        written_off: amount('The part of the cost above `cost` that was not charged').nullable(),
        attempts: z.array(AttemptRecord),
      }).meta({ id: 'ExecutionWithAttempts' }),
    },
  },
  async handle({ context, params, publicUrl }) {
    const found = await getExecutionWithAttempts(context.db, requireId('exec', params.id, 'execution'));
    if (!found) throw notFound('execution');
    const { execution, attempts } = found;
    const body = {
      ...executionRecord(execution, publicUrl),
      logs: [...attempts.map(({ rawLogs }) => rawLogs), execution.logs].filter(Boolean).join('') || null,
      organization_id: execution.organizationId,
      written_off: execution.writtenOff === null ? null : formatMoney(execution.writtenOff),
      attempts: attempts.map(attemptRecord),
    };
    return { status: 200, body };
  },
});
