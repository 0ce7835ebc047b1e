import { type BatchItem as Item, listItems } from '@holdfast/db/batches/items';
import { itemStatuses } from '@holdfast/domain/batch';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { findBatch } from '../../batches/readable.ts';
import { BatchItem, ItemStatus } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { pageBy, pageFields, pageQuery } from '../../http/paging.ts';

export const listBatchItems = endpoint({
  method: 'GET',
  path: '/v1/batches/{id}/items',
  operationId: 'listBatchItems',
  tag: 'Batches',
  summary: 'List the items of a batch',
  description:
    'By `custom_id`. With a status, those that wait or run in the order in which they came, and those that ended in the order in which they did. Their outputs are in the files of the batch.',
  scope: 'executions:read',
  limit: 'other',
  params: idParams('bat', 'id'),
  query: pageQuery({ limit: 100, maxLimit: 1000 }).extend({
    cursor: z.string().max(512).optional().describe('`next_cursor` of the previous page'),
    status: ItemStatus.optional().meta({
      description: `Only items with this status: ${itemStatuses.join(', ')}`,
    }),
  }),
  responses: {
    200: {
      description: 'A page of items',
      schema: z.object({ data: z.array(BatchItem), ...pageFields }).meta({ id: 'BatchItemPage' }),
    },
  },
  async handle({ context, caller, params, query }) {
    const batch = await findBatch(context, caller, params.id);
    const { limit, cursor = null, status = null } = query;
    const rows = await listItems(context.db, batch.id, { status, after: cursor, limit: limit + 1 });
    const { items, page } = pageBy(rows, limit, ({ customId }) => customId);
    return { status: 200, body: { data: items.map(itemRecord), ...page } };
  },
});

function itemRecord(item: Item): z.infer<typeof BatchItem> {
  const code = item.error?.code ?? item.errorCode;
  return {
    custom_id: item.customId,
    status: item.status,
    model: item.model,
    execution_id: item.executionId,
    estimated_cost: formatMoney(item.estimatedCost),
    hold_amount: formatMoney(item.hold),
    cost: item.cost && formatMoney(item.cost),
    error: code && { code, message: item.error?.message ?? item.errorMessage ?? '' },
  };
}
