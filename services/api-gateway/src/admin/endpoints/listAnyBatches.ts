import { searchBatches, searchedPerPage } from '@holdfast/db/batches/search';
import { batchRecord, batchStatuses } from '@holdfast/domain/batch';
import { z } from 'zod';
import { Batch } from '../../batches/records.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { choicesFilter, idField, idFilter, withCommas } from '../../http/fields.ts';
import { checkedCursor, pageEnd, pageOf, pageQuery, searchFields } from '../../http/paging.ts';

const AnyBatch = Batch.extend({ organization_id: idField('org') }).meta({ id: 'AnyBatch' });

export const listAnyBatches = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/batches',
  tag: 'Batches',
  summary: "List any organization's batches",
  description:
    `Newest first. A page looks at ${withCommas(searchedPerPage)} batches at most: continue with \`cursor\` while ` +
    '`has_more` is true, even when it has few items or none.',
  access: 'operator',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    id: idFilter('bat', 'Only the batch with this id').optional(),
    organization_id: idFilter('org', 'Only batches of this organization').optional(),
    status: choicesFilter(batchStatuses, 'Only batches with this status'),
  }),
  responses: {
    200: {
      description: 'A page of batches',
      schema: z
        .object({
          data: z.array(AnyBatch),
          ...searchFields('batches'),
        })
        .meta({ id: 'AnyBatchPage' }),
    },
  },
  async handle({ context, query: { id, organization_id: organizationId, status: statuses, cursor, limit } }) {
    const search = { id, organizationId, statuses, cursor: checkedCursor('bat', cursor) };
    const { rows, reached } = await context.reader.read('operators', (db) =>
      searchBatches(db, search, limit + 1, searchedPerPage),
    );
    const { items, page } = pageOf(rows, limit);
    const end = reached ? pageEnd(reached.id) : page;
    const data = items.map((one) => ({ ...batchRecord(one), organization_id: one.organizationId }));
    return { status: 200, body: { data, ...end, searched_until: reached?.createdAt.toISOString() ?? null } };
  },
});
