import { organizationSorts, rankOrganizations, readOrganizationMoney } from '@holdfast/db/organizationMoney';
import { listOrganizations as readOrganizations } from '@holdfast/db/organizations';
import { isId } from '@holdfast/domain/ids';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { choicesFilter, exampleId } from '../../http/fields.ts';
import { checkedCursor, pageFields, pageOf, pageQuery } from '../../http/paging.ts';
import { moneyFields, moneyRecord } from '../organizationMoney.ts';
import { OrganizationRecord, organizationRecords } from '../organizations.ts';

const maxIds = 100;

const Listed = OrganizationRecord.extend(moneyFields).meta({ id: 'ListedOrganization' });

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
    sort: z
      .enum(organizationSorts)
      .default('newest')
      .describe(
        '`balance`: the lowest available balance first; `spend`: the highest of the last 30 days first',
      ),
    runs_low: z
      .enum(['true', 'false'])
      .default('false')
      .describe('`true`: only organizations with less available than their last 7 days cost'),
    include: choicesFilter(['balance', 'spend'], 'What each has in addition'),
    text: z.string().max(200).optional().describe('Only organizations with this in their name, or this id'),
  }),
  responses: {
    200: {
      description: 'A page of organizations',
      schema: z.object({ data: z.array(Listed), ...pageFields }).meta({ id: 'OrganizationPage' }),
    },
  },
  async handle({ context, query }) {
    const { limit, test, ids, text, sort, include = [] } = query;
    const asked = {
      limit: limit + 1,
      cursor: checkedCursor('org', query.cursor),
      includeTest: test === 'true',
      ...(text !== undefined && isId('org', text) ? { ids: [text] } : { ids: ids?.split(','), text }),
    };
    const runsLow = query.runs_low === 'true';
    const isRanked = sort !== 'newest' || runsLow;
    const rows = isRanked
      ? await context.reader.read('operators', (db) => rankOrganizations(db, { ...asked, sort, runsLow }))
      : await readOrganizations(context.db, asked);
    const { items, page } = pageOf(rows, limit);
    const records = await organizationRecords(context, items);
    if (include.length === 0) return { status: 200, body: { data: records, ...page } };
    const money = await context.reader.read('operators', (db) =>
      readOrganizationMoney(
        db,
        items.map(({ id }) => id),
      ),
    );
    const data = records.map((record) => ({ ...record, ...moneyRecord(money.get(record.id), include) }));
    return { status: 200, body: { data, ...page } };
  },
});
