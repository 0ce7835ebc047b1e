import type { Database } from '@holdfast/db/client';
import { timeFromNow } from '@holdfast/db/timeFromNow';
import { sumUsage, usageGroupings } from '@holdfast/db/usage/sum';
import { invalidField } from '@holdfast/domain/errors';
import { z } from 'zod';
import { toCsv } from '../../http/csv.ts';
import { endpoint } from '../../http/endpoint.ts';
import { exampleUsageRow, UsageReport, usageColumns, usageReport } from './usageRecord.ts';

const maxDays = 366;
const dayMs = 86_400_000;

const shape = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const time = (description: string, example: string) =>
  z
    .string()
    .refine((text) => shape.safeParse(text).success, {
      message: 'must be an ISO 8601 time, or a date such as 2026-03-01',
      params: { code: 'INVALID_FORMAT' },
    })
    .meta({ description, example });

export const getUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  tag: 'Balance',
  summary: 'Read the usage',
  description:
    'What was used and charged, by model or by day (UTC), of the executions that completed in a period of at most ' +
    `${maxDays} days. Executions that the operator no longer keeps don't count. With \`Accept: text/csv\` the rows come ` +
    'as CSV.',
  scope: 'balance',
  limit: 'other',
  query: z.object({
    from: time(
      'A time, or the beginning of a day (UTC); else this month’s beginning',
      '2026-03-01',
    ).optional(),
    to: time(
      'A time, or the beginning of a day (UTC), which does not count itself; else now',
      '2026-04-01',
    ).optional(),
    group_by: z.enum(usageGroupings).default('model').describe('What each row is of'),
  }),
  responses: {
    200: {
      description: 'The usage',
      schema: UsageReport,
      csv: toCsv(usageColumns('model'), [exampleUsageRow]),
    },
  },
  async handle({ context, caller, query }) {
    const asked = { ...(await readPeriod(context.db, query)), groupBy: query.group_by };
    const usage = await context.lists.read((db) =>
      sumUsage(db, { organizationId: caller.organizationId, ...asked }),
    );
    const body = usageReport(asked, usage);
    const filename = `usage_${body.from.slice(0, 10)}_${body.to.slice(0, 10)}.csv`;
    const table = { filename, columns: usageColumns(query.group_by), rows: body.data };
    return { status: 200, body, table };
  },
});

/** @throws INPUT_VALIDATION_ERROR for a period that ends before it begins, or is too long */
async function readPeriod(db: Database, query: { from?: string | undefined; to?: string | undefined }) {
  const now = await timeFromNow(db, 0);
  const thisMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const from = query.from === undefined ? thisMonth : new Date(query.from);
  const to = query.to === undefined ? now : new Date(query.to);
  const lengthMs = to.getTime() - from.getTime();
  const wrong = query.from === undefined ? 'to' : 'from';
  if (lengthMs < 0) throw invalidField(wrong, 'OUT_OF_RANGE', 'from must not be later than to.');
  if (lengthMs > maxDays * dayMs) {
    throw invalidField(wrong, 'OUT_OF_RANGE', `from and to must lie at most ${maxDays} days apart.`);
  }
  return { from, to };
}
