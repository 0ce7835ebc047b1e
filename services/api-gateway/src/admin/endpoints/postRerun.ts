import { getExecutionWithAttempts } from '@holdfast/db/executions/read';
import { z } from 'zod';
import { requireModel } from '../../access/models.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { createExecution } from '../../executions/createExecution.ts';
import { CreatedExecution, executionUrls } from '../../executions/records.ts';
import { bodyOf, termsOf } from '../../executions/reruns.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';
import { idempotencyKeyHeader, readIdempotencyKey, requestHash } from '../../http/requestHeaders.ts';
import { callerFor } from '../organizations.ts';

export const postRerun = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/executions/{id}/rerun',
  tag: 'Executions',
  summary: 'Run an execution again',
  description:
    'Creates a new execution of the same organization with the same model, input, metadata, `webhook_url`, priority and ' +
    'timeout. It is validated and holds balance like any other, and refers to the original with `rerun_of`.',
  access: 'operator',
  limit: 'create',
  params: idParams('exec', 'id'),
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  responses: {
    202: {
      description: 'Accepted',
      schema: CreatedExecution.extend({ rerun_of: idField('exec', 'The original') }).meta({
        id: 'RerunExecution',
      }),
    },
  },
  errors: [
    'EXECUTION_ERASED',
    'FILE_NOT_FOUND',
    'INSUFFICIENT_BALANCE',
    'SPEND_LIMIT_REACHED',
    'IDEMPOTENCY_KEY_REUSED',
    'MODEL_UNAVAILABLE',
    'INSUFFICIENT_STORAGE',
  ],
  async handle({ context, params, headers, traceparent, publicUrl }) {
    const found = await getExecutionWithAttempts(context.db, requireId('exec', params.id, 'execution'));
    if (!found) throw notFound('execution');
    const { execution: original } = found;
    const caller = await callerFor(context, original.organizationId);
    await requireModel(context, caller, original.model);
    const { REQUIRE_IDEMPOTENCY_KEY } = context.config;
    const key = readIdempotencyKey(headers['idempotency-key'], REQUIRE_IDEMPOTENCY_KEY);
    const request = {
      idempotencyKey: key,
      requestHash: key && requestHash({ rerun_of: original.id }),
      traceparent,
      rerunOf: original.id,
      terms: termsOf(original),
    };
    const { record, replayed } = await createExecution(context, caller, request, () => bodyOf(original));
    return {
      status: 202,
      body: { ...record, urls: executionUrls(publicUrl, record.id), rerun_of: original.id },
      headers: replayed ? { 'Idempotent-Replayed': 'true' } : {},
    };
  },
});
