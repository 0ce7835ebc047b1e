import { retryItems } from '@holdfast/db/batches/retry';
import { batchRecord, retryableItemStatuses } from '@holdfast/domain/batch';
import { executionErrors } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';

type Code = keyof typeof executionErrors;
const codes = Object.keys(executionErrors) as [Code, ...Code[]];

const filter = z
  .strictObject({
    status: z
      .array(z.enum(retryableItemStatuses))
      .min(1)
      .max(retryableItemStatuses.length)
      .optional()
      .meta({ example: ['failed'] }),
    custom_ids: z.array(z.string().max(limits.customIdLength)).min(1).max(10_000).optional(),
    error_codes: z
      .array(z.enum(codes))
      .min(1)
      .max(codes.length)
      .optional()
      .meta({ example: ['GENERATION_FAILED'] }),
  })
  .refine((given) => Object.values(given).some((one) => one !== undefined), {
    message: 'must name what to retry: status, custom_ids or error_codes',
    params: { code: 'REQUIRED' },
  })
  .meta({ id: 'RetryBatchFilter', description: 'Items that match every field; at least one is required' });

export const postRetryBatch = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/retry',
  operationId: 'retryBatch',
  tag: 'Batches',
  summary: 'Run items again',
  description:
    'Failed, cancelled and expired items that match the filter wait again, and the batch runs, with a new completion window. Items that were erased stay as they are. 409 while the batch is open, or its cancel or expiry is not done.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  body: z.strictObject({ filter }).meta({ id: 'RetryBatch' }),
  responses: {
    200: {
      description: 'The batch, and how many items wait again',
      schema: Batch.extend({ retried: z.int().meta({ example: 3 }) }).meta({ id: 'RetriedBatch' }),
    },
  },
  errors: ['BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params, body }) {
    const batch = await findBatch(context, caller, params.id);
    const { status = null, custom_ids = null, error_codes = null } = body.filter;
    const retried = await retryItems(context.db, batch, {
      statuses: status,
      customIds: custom_ids,
      errorCodes: error_codes,
    });
    const current = await findBatch(context, caller, batch.id);
    if (retried === null) throw statusConflict(current, 'its items cannot be retried now');
    return { status: 200, body: { ...batchRecord(current), retried } };
  },
});
