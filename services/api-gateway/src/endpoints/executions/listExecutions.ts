import { listExecutions as readExecutions } from '@holdfast/db/executions/list';
import { statusRecord } from '@holdfast/domain/executionRecord';
import { executionStatuses } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { ExecutionRecord } from '../../executions/records.ts';
import { endpoint } from '../../http/endpoint.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { timeFilter, toDate } from '../../http/timeFilter.ts';

export const listExecutions = endpoint({
  method: 'GET',
  path: '/v1/executions',
  tag: 'Executions',
  summary: 'List executions',
  description: 'Newest first.',
  permission: 'execution',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    status: z.enum(executionStatuses).optional(),
    model: z.string().max(64).optional().describe('Model slug'),
    created_after: timeFilter('Only those created after this time'),
    created_before: timeFilter('Only those created before this time'),
  }),
  responses: {
    200: {
      description: 'A page of executions',
      schema: z.object({ data: z.array(ExecutionRecord), ...pageFields }).meta({ id: 'ExecutionPage' }),
    },
  },
  async handle({ context, caller, query }) {
    const filter = {
      status: query.status,
      model: query.model,
      createdAfter: toDate(query.created_after),
      createdBefore: toDate(query.created_before),
      cursor: checkedCursor('exec', query.cursor),
    };
    const rows = await readExecutions(context.db, caller.organizationId, filter, query.limit + 1);
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { data: items.map(statusRecord), ...page } };
  },
});
