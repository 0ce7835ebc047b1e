import { listApiKeys } from '@holdfast/db/apiKeys';
import { z } from 'zod';
import { ApiKeyRecord, apiKeyRecords } from '../../api/apiKeys/apiKeyRecord.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { findOrganization } from '../organizations.ts';

export const listOrganizationKeys = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations/{id}/api-keys',
  tag: 'API keys',
  summary: "List an organization's API keys",
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  query: pageQuery({ limit: 100, maxLimit: 100 }),
  responses: {
    200: {
      description: 'A page of keys, newest first',
      schema: z.object({ data: z.array(ApiKeyRecord), ...pageFields }).meta({ id: 'ApiKeyPage' }),
    },
  },
  async handle({ context, params, query }) {
    const { id: organizationId } = await findOrganization(context, params.id);
    const cursor = checkedCursor('key', query.cursor);
    const rows = await listApiKeys(context.db, { organizationId, limit: query.limit + 1, cursor });
    const { items, page } = pageOf(rows, query.limit);
    return { status: 200, body: { data: await apiKeyRecords(context, items), ...page } };
  },
});
