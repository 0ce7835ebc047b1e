import { openStatuses } from '@holdfast/domain/statuses';
import { cancelAll } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { bulkBody, bulkPages, matchedField, nextMatching } from '../../executions/bulk.ts';
import { pageFields } from '../../http/paging.ts';

/** One statement ends as many, and locks the balance meanwhile. */
const perRequest = 256;

export const postBulkCancel = endpoint({
  method: 'POST',
  path: '/v1/executions/bulk-cancel',
  operationId: 'bulkCancelExecutions',
  tag: 'Executions',
  summary: 'Cancel many executions',
  description: `Cancels the open executions that match, as one cancel would each. ${bulkPages} Repeating a request is safe: an execution that has ended stays as it is.`,
  scope: 'executions:write',
  limit: 'other',
  body: bulkBody('BulkCancel', openStatuses),
  responses: {
    200: {
      description: 'What was cancelled, and whether there is more',
      schema: z
        .object({
          matched: matchedField,
          cancelled: z.int().meta({ description: 'Those that were cancelled now', example: 3 }),
          ...pageFields,
        })
        .meta({ id: 'BulkCancelled' }),
    },
  },
  async handle({ context, caller, body }) {
    const asked = { statuses: openStatuses, limit: perRequest };
    const { ids, page } = await nextMatching(context, caller, body, asked);
    const isCancelling = !body.dry_run && ids.length > 0;
    const cancelled = isCancelling ? await cancelAll(context, caller.organizationId, ids) : 0;
    return { status: 200, body: { matched: ids.length, cancelled, ...page } };
  },
});
