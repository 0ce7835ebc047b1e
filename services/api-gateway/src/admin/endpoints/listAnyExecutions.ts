import { listExecutions, listAnyExecutions as readAny } from '@holdfast/db/executions/read';
import { timeFromNow } from '@holdfast/db/statement';
import { z } from 'zod';
import { executionFilter, executionQuery } from '../../executions/listing.ts';
import { ExecutionRecord, executionRecord } from '../../executions/records.ts';
import { keylessEndpoint } from '../../http/endpoint.ts';
import { idField, idFilter } from '../../http/fields.ts';
import { pageFields, pageOf } from '../../http/paging.ts';
import { findOrganization } from '../organizations.ts';

/** How far back executions of all organizations are searched by default. */
const defaultLookBackMs = 30 * 86_400_000;

export const listAnyExecutions = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/executions',
  tag: 'Executions',
  summary: "List any organization's executions",
  description: 'Newest first. Without `organization_id`, `created_after` defaults to 30 days ago.',
  access: 'operator',
  limit: 'other',
  query: executionQuery.extend({
    organization_id: idFilter('org', 'Only executions of this organization').optional(),
  }),
  responses: {
    200: {
      description: 'A page of executions',
      schema: z
        .object({
          data: z.array(
            ExecutionRecord.extend({ organization_id: idField('org') }).meta({ id: 'AnyExecution' }),
          ),
          ...pageFields,
        })
        .meta({ id: 'AnyExecutionPage' }),
    },
  },
  async handle({ context, query, publicUrl }) {
    const filter = executionFilter(query);
    const { organization_id: organizationId, limit } = query;
    if (organizationId !== undefined) await findOrganization(context, organizationId);
    const rows =
      organizationId === undefined
        ? await readAny(
            context.db,
            {
              ...filter,
              createdAfter: filter.createdAfter ?? (await timeFromNow(context.db, -defaultLookBackMs)),
            },
            limit + 1,
          )
        : await listExecutions(context.db, organizationId, filter, limit + 1);
    const { items, page } = pageOf(rows, limit);
    const data = items.map((one) => ({
      ...executionRecord(one, publicUrl),
      organization_id: one.organizationId,
    }));
    return { status: 200, body: { data, ...page } };
  },
});
