import { invalidField } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { timeFilter, toDate } from '../http/fields.ts';
import { checkedCursor, pageQuery } from '../http/paging.ts';
import { ExecutionStatus } from './records.ts';

export const executionQuery = pageQuery({ limit: 20, maxLimit: 100, maxBytes: limits.pageBytes }).extend({
  status: ExecutionStatus.optional().describe('Only executions with this status'),
  model: z.string().max(64).optional().describe('Model slug'),
  created_after: timeFilter('Only executions created after this time'),
  created_before: timeFilter('Only executions created before this time'),
  metadata_name: z.string().max(256).optional().describe('With `metadata_value`: a member of `metadata`'),
  metadata_value: z
    .string()
    .max(1024)
    .optional()
    .describe('Only executions whose metadata has this value, as text'),
});

/** @throws INPUT_VALIDATION_ERROR for a cursor that no page returned, and for half of a member of the metadata */
export function executionFilter(query: Omit<z.infer<typeof executionQuery>, 'status'>) {
  const { metadata_name: name, metadata_value: value } = query;
  if ((name === undefined) !== (value === undefined))
    throw invalidField('metadata_name', 'REQUIRED', 'metadata_name and metadata_value go together.');
  return {
    metadata: name === undefined || value === undefined ? undefined : ([name, value] as const),
    model: query.model,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('exec', query.cursor),
  };
}
