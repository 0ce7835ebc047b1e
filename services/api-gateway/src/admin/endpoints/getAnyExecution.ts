import { type AttemptRow, getExecutionWithAttempts } from '@holdfast/db/executions/getWithAttempts';
import { statusRecord } from '@holdfast/domain/executionRecord';
import { z } from 'zod';
import { ExecutionWithLogs } from '../../executions/records.ts';
import { callerlessEndpoint } from '../../http/endpoint.ts';
import { idField, idParams, knownShape, notFound, timestamp } from '../../http/fields.ts';

const AttemptRecord = z
  .object({
    id: idField('att'),
    number: z.int(),
    provider: z.string(),
    state: z.string(),
    external_id: z.string().nullable().describe("The provider's own id of the run"),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: timestamp('When it began'),
    finished_at: timestamp('When its outcome was recorded').nullable(),
    settled_at: timestamp('When the ledger had acted on it').nullable(),
  })
  .meta({ id: 'Attempt' });

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

function attemptRecord(row: AttemptRow): z.infer<typeof AttemptRecord> {
  return {
    id: row.id,
    number: row.number,
    provider: row.provider,
    state: row.state,
    external_id: row.externalId,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    settled_at: row.settledAt?.toISOString() ?? null,
  };
}
