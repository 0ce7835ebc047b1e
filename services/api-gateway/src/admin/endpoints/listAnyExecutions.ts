import { searchExecutions, searchedPerPage } from '@holdfast/db/executions/search';
import { timeFromNow } from '@holdfast/db/statement';
import { executionStatuses } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { executionFilter, executionQuery } from '../../executions/listing.ts';
import { ExecutionRecord, executionRecord } from '../../executions/records.ts';
import { choicesFilter, idField, idFilter, withCommas } from '../../http/fields.ts';
import { pageEnd, searchFields } from '../../http/paging.ts';
import { findOrganization } from '../organizations.ts';

/** How far back executions of all organizations are searched by default. */
const defaultLookBackMs = 30 * 86_400_000;

export const listAnyExecutions = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/executions',
  tag: 'Executions',
  summary: "List any organization's executions",
  description:
    'Newest first; `created_after` defaults to 30 days ago, unless `id_prefix` or `idempotency_key` is given. A page looks at ' +
    `${withCommas(searchedPerPage.operator)} executions at most, or at as many failures when it is asked for these in all organizations: ` +
    'continue with `cursor` while `has_more` is true, even when it has few items or none.',
  access: 'operator',
  limit: 'other',
  query: executionQuery.extend({
    status: choicesFilter(executionStatuses, 'Only executions with one of these statuses'),
    organization_id: idFilter('org', 'Only executions of this organization').optional(),
    provider: z.string().max(64).optional().describe('Only executions with an attempt at this provider'),
    error_code: z.string().max(64).optional().describe('Only executions that ended with this error'),
    idempotency_key: z.string().max(255).optional().describe('Only executions created with this key'),
    id_prefix: z
      .string()
      .regex(/^exec_[0-9a-f-]{0,36}$/, 'must be the beginning of an id such as exec_01981e9c')
      .optional()
      .describe('Only executions whose ids begin with this text'),
  }),
  responses: {
    200: {
      description: 'A page of executions',
      schema: z
        .object({
          data: z.array(
            ExecutionRecord.extend({ organization_id: idField('org') }).meta({ id: 'AnyExecution' }),
          ),
          ...searchFields('executions'),
        })
        .meta({ id: 'AnyExecutionPage' }),
    },
  },
  async handle({ context, query, publicUrl }) {
    const { organization_id: organizationId, limit } = query;
    if (organizationId !== undefined) await findOrganization(context, organizationId);
    const { createdAfter, ...filter } = executionFilter(query);
    // Found by their keys, however old they are.
    const isNamed = query.id_prefix !== undefined || query.idempotency_key !== undefined;
    const lookBack = isNamed ? new Date(0) : await timeFromNow(context.db, -defaultLookBackMs);
    const search = {
      ...filter,
      statuses: query.status,
      createdAfter: createdAfter ?? lookBack,
      organizationId,
      provider: query.provider,
      errorCode: query.error_code,
      idempotencyKey: query.idempotency_key,
      idPrefix: query.id_prefix,
    };
    const { rows, next, searchedUntil } = await searchExecutions(
      context.db,
      search,
      limit,
      searchedPerPage.operator,
    );
    const page = {
      ...pageEnd(next),
      searched_until: searchedUntil?.toISOString() ?? null,
    };
    const data = rows.map((one) => ({
      ...executionRecord(one, publicUrl),
      organization_id: one.organizationId,
    }));
    return { status: 200, body: { data, ...page } };
  },
});
