import { searchExecutions, searchedPerPage } from '@holdfast/db/executions/search';
import { z } from 'zod';
import { boundModels } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { executionFilter, executionQuery } from '../../executions/listing.ts';
import { ExecutionRecord, executionRecord } from '../../executions/records.ts';
import { withCommas } from '../../http/fields.ts';
import { isUsablePage, pageEnd, pageFields } from '../../http/paging.ts';

export const listExecutions = endpoint({
  method: 'GET',
  path: '/v1/executions',
  operationId: 'listExecutions',
  tag: 'Executions',
  summary: 'List executions',
  description:
    'Newest first. A key limited to `models` lists only executions of these models. A page looks at ' +
    `${withCommas(searchedPerPage.client)} executions at most, at ${withCommas(searchedPerPage.metadata)} for \`metadata_name\`: continue with \`cursor\` while \`has_more\` is true, ` +
    'even when a filter leaves it few items or none.',
  scope: 'executions:read',
  limit: 'other',
  query: executionQuery,
  responses: {
    200: {
      description: 'A page of executions',
      schema: z.object({ data: z.array(ExecutionRecord), ...pageFields }).meta({ id: 'ExecutionPage' }),
    },
  },
  async handle({ context, caller, query, publicUrl }) {
    const search = {
      ...executionFilter(query),
      organizationId: caller.organizationId,
      statuses: query.status && [query.status],
      models: boundModels(caller),
    };
    const searched = searchedPerPage[search.metadata ? 'metadata' : 'client'];
    const isUsable = isUsablePage(query.cursor);
    const { rows, next } = await context.reader.read(
      caller.organizationId,
      (db) => searchExecutions(db, search, query.limit, searched),
      ({ rows, next }) => next !== null || isUsable(rows),
    );
    const data = rows.map((one) => executionRecord(one, publicUrl));
    return { status: 200, body: { data, ...pageEnd(next) } };
  },
});
