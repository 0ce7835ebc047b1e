import { listBatches as readBatches } from '@holdfast/db/batches/batches';
import { batchRecord, batchStatuses } from '@holdfast/domain/batch';
import { z } from 'zod';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { choicesFilter } from '../../http/fields.ts';
import { checkedCursor, isUsablePage, pageFields, pageOf, pageQuery } from '../../http/paging.ts';

export const listBatches = endpoint({
  method: 'GET',
  path: '/v1/batches',
  operationId: 'listBatches',
  tag: 'Batches',
  summary: 'List batches',
  description: 'Newest first. A key limited to `models` lists only the batches that it created.',
  scope: 'executions:read',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    status: choicesFilter(batchStatuses, 'Only batches with this status'),
  }),
  responses: {
    200: {
      description: 'A page of batches',
      schema: z.object({ data: z.array(Batch), ...pageFields }).meta({ id: 'BatchPage' }),
    },
  },
  async handle({ context, caller, query }) {
    const { organizationId, apiKeyId, models } = caller;
    const cursor = checkedCursor('bat', query.cursor) ?? null;
    const search = {
      statuses: query.status ?? null,
      apiKeyId: models.length > 0 ? apiKeyId : null,
      cursor,
      limit: query.limit + 1,
    };
    const rows = await context.reader.read(
      organizationId,
      (db) => readBatches(db, organizationId, search),
      isUsablePage(query.cursor),
    );
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { data: items.map((one) => batchRecord(one)), ...page } };
  },
});
