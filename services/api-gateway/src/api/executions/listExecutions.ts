import { listExecutions as readExecutions } from '@holdfast/db/executions/read';
import { z } from 'zod';
import { boundModels } from '../../access/models.ts';
import { executionFilter, executionQuery } from '../../executions/listing.ts';
import { ExecutionRecord, executionRecord } from '../../executions/records.ts';
import { endpoint } from '../../http/endpoint.ts';
import { isUsablePage, pageEnd, pageFields } from '../../http/paging.ts';

export const listExecutions = endpoint({
  method: 'GET',
  path: '/v1/executions',
  operationId: 'listExecutions',
  tag: 'Executions',
  summary: 'List executions',
  description: 'Newest first. A key limited to `models` lists only executions of these models.',
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
    const filter = { ...executionFilter(query), status: query.status, models: boundModels(caller) };
    const isUsable = isUsablePage(query.cursor);
    const { rows, next } = await context.reader.read(
      caller.organizationId,
      (db) => readExecutions(db, caller.organizationId, filter, query.limit),
      ({ rows }) => isUsable(rows),
    );
    const data = rows.map((one) => executionRecord(one, publicUrl));
    return { status: 200, body: { data, ...pageEnd(next) } };
  },
});
