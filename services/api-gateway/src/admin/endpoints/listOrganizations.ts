import { listOrganizations as readOrganizations } from '@holdfast/db/organizations';
import { isId } from '@holdfast/domain/ids';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { exampleId } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { OrganizationRecord, organizationRecords } from '../organizations.ts';

const maxIds = 100;

function isListOfIds(text: string): boolean {
  const ids = text.split(',');
  return ids.length <= maxIds && ids.every((id) => isId('org', id));
}

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
      .refine(isListOfIds, {
        message: `must be at most ${maxIds} ids such as ${exampleId('org')}, separated by commas`,
        params: { code: 'INVALID_FORMAT' },
      })
      .optional()
      .describe(`Only these, test organizations too: at most ${maxIds} ids, separated by commas`),
    text: z.string().max(200).optional().describe('Only organizations with this in their name, or this id'),
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
      ...(text !== undefined && isId('org', text) ? { ids: [text] } : { ids: ids?.split(','), text }),
    });
    const { items, page } = pageOf(rows, limit);
    return { status: 200, body: { data: await organizationRecords(context, items), ...page } };
  },
});
