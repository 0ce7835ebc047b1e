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
});

/** @throws INPUT_VALIDATION_ERROR for a cursor that no page returned */
export function executionFilter(query: Omit<z.infer<typeof executionQuery>, 'status'>) {
  return {
    model: query.model,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('exec', query.cursor),
  };
}
