import { executionStatuses } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { checkedCursor, pageQuery } from '../http/paging.ts';
import { timeFilter, toDate } from '../http/timeFilter.ts';

/** The query of a list of executions. */
export const executionQuery = pageQuery({ limit: 20, maxLimit: 100 }).extend({
  status: z.enum(executionStatuses).optional(),
  model: z.string().max(64).optional().describe('Model slug'),
  created_after: timeFilter('Only those created after this time'),
  created_before: timeFilter('Only those created before this time'),
});

/** @throws INPUT_VALIDATION_ERROR for a cursor that none of our pages gave */
export function executionFilter(query: z.infer<typeof executionQuery>) {
  return {
    status: query.status,
    model: query.model,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('exec', query.cursor),
  };
}
