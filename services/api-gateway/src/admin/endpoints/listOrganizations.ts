import { listOrganizations as readOrganizations } from '@holdfast/db/organizations';
import { z } from 'zod';
import { keylessEndpoint } from '../../http/endpoint.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { OrganizationRecord, organizationRecords } from '../organizations.ts';

export const listOrganizations = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations',
  tag: 'Organizations',
  summary: 'List organizations',
  access: 'operator',
  limit: 'other',
  query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
    test: z.enum(['true', 'false']).default('false').describe('`true`: include test organizations'),
    ids: z
      .string()
      .max(4100)
      .optional()
      .describe('Only organizations with these ids: at most 100, separated by commas'),
    text: z
      .string()
      .max(200)
      .optional()
      .describe('Only organizations with this in their name, or as their id'),
  }),
  responses: {
    200: {
      description: 'A page of organizations, newest first',
      schema: z.object({ data: z.array(OrganizationRecord), ...pageFields }).meta({ id: 'OrganizationPage' }),
    },
  },
  async handle({ context, query }) {
    const { limit, test, ids, text } = query;
    const rows = await readOrganizations(context.db, {
      limit: limit + 1,
      cursor: checkedCursor('org', query.cursor),
      includeTest: test === 'true',
      ids: ids?.split(','),
      text,
    });
    const { items, page } = pageOf(rows, limit);
    return { status: 200, body: { data: await organizationRecords(context, items), ...page } };
  },
});
