import { listApiKeys as readApiKeys } from '@holdfast/db/apiKeys';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { ApiKeyRecord, apiKeyRecords } from './apiKeyRecord.ts';

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/v1/api-keys',
  operationId: 'listApiKeys',
  tag: 'API keys',
  summary: 'List API keys',
  description: 'Newest first, including revoked keys. Key values are never returned.',
  scope: 'keys',
  limit: 'other',
  query: pageQuery({ limit: 100, maxLimit: 100 }),
  responses: {
    200: {
      description: 'A page of keys',
      schema: z.object({ data: z.array(ApiKeyRecord), ...pageFields }).meta({ id: 'ApiKeyPage' }),
    },
  },
  async handle({ context, caller, query }) {
    const rows = await readApiKeys(context.db, {
      organizationId: caller.organizationId,
      limit: query.limit + 1,
      cursor: checkedCursor('key', query.cursor),
    });
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { data: await apiKeyRecords(context, items), ...page } };
  },
});
