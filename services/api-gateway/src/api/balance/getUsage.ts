import type { Database } from '@holdfast/db/client';
import {
  countUsageByMetadata,
  sumUsage,
  type UsageGrouping,
  type UsagePeriod,
  usageGroupings,
  usagePeriod,
} from '@holdfast/db/usage';
import { invalidField } from '@holdfast/domain/errors';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { toCsv } from '../../http/csv.ts';
import { timeField } from '../../http/fields.ts';
import { exampleUsageRow, UsageReport, usageColumns, usageReport } from './usageRecord.ts';

const maxDays = 366;
const dayMs = 86_400_000;
/** By which local days may differ from days in UTC. */
const clockChangeMs = 2 * 3_600_000;

const time = (description: string, example: string) => timeField().meta({ description, example });

/** `UTC`, or a place: PostgreSQL reads names such as `CET` as abbreviations, which know no summer time. */
function isTimeZone(name: string): boolean {
  if (!/^(UTC|[A-Za-z_]+(\/[A-Za-z_+\-0-9]+)+)$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const usage = (args: { withWriteOffs: boolean }) =>
  endpoint({
    method: 'GET',
    path: '/v1/usage',
    operationId: 'getUsage',
    tag: 'Balance',
    summary: 'Read usage',
    description:
      'Returns usage and charges, by model, day, API key or the values of your metadata, of the executions that completed in a period of at most ' +
      `${maxDays} days. It includes executions past the operator's retention period, if whole hours are asked for. With \`Accept: text/csv\` the ` +
      'rows are returned as CSV.',
    scope: 'balance',
    limit: 'other',
    query: z.object({
      from: time(
        'Start of the period, inclusive: a time, or a date (from 00:00 in `tz`). Default: the start of the month of `to`',
        '2026-03-01',
      ).optional(),
      to: time(
        'End of the period, exclusive: a time, or a date (until 00:00 in `tz`). Default: now',
        '2026-04-01',
      ).optional(),
      tz: z
        .string()
        .refine(isTimeZone, {
          message: 'must be a time zone such as Europe/Berlin',
          params: { code: 'INVALID_VALUE' },
        })
        .default('UTC')
        .meta({
          description: 'The time zone of days, and of dates without a time',
          example: 'Europe/Berlin',
        }),
      group_by: z.enum(usageGroupings).default('model').describe('What the rows are grouped by'),
      metadata_key: z
        .string()
        .min(1)
        .max(256)
        .default('user')
        .meta({ description: 'With `group_by=metadata`: the member of `metadata`', example: 'user' }),
    }),
    responses: {
      200: {
        description: 'The usage',
        schema: UsageReport,
        csv: toCsv(usageColumns('model'), [exampleUsageRow]),
      },
    },
    async handle({ context, caller, query }) {
      const { organizationId } = caller;
      const period = await readPeriod(context.db, query);
      const { rows, ...counted } = await context.reader.read(organizationId, (db) =>
        readUsage(db, { organizationId, period, query }),
      );
      const report = usageReport({ ...period, groupBy: query.group_by, ...args }, rows);
      const body = { ...report, ...counted };
      const filename = `usage_${body.from.slice(0, 10)}_${body.to.slice(0, 10)}.csv`;
      const table = { filename, columns: usageColumns(query.group_by, args), rows: body.data };
      return { status: 200, body, table };
    },
  });

export const getUsage = usage({ withWriteOffs: false });
export const getUsageWithWriteOffs = usage({ withWriteOffs: true });

type Query = { group_by: UsageGrouping; metadata_key: string; tz: string };

async function readUsage(
  db: Database,
  { organizationId, period, query }: { organizationId: string; period: UsagePeriod; query: Query },
) {
  const { group_by: groupBy, metadata_key: name, tz: timeZone } = query;
  if (groupBy !== 'metadata')
    return { rows: await sumUsage(db, { organizationId, period, groupBy, timeZone }) };
  const { rows, countedSince } = await countUsageByMetadata(db, { organizationId, period, name });
  return { rows, counted_since: countedSince?.toISOString() ?? null };
}

/** @throws INPUT_VALIDATION_ERROR for a negative period or one that is too long */
async function readPeriod(
  db: Database,
  query: { from?: string | undefined; to?: string | undefined; tz: string },
) {
  const period = await usagePeriod(db, {
    from: query.from ?? null,
    to: query.to ?? null,
    timeZone: query.tz,
  });
  const lengthMs = period.to.getTime() - period.from.getTime();
  if (lengthMs < 0) throw invalidField('from', 'OUT_OF_RANGE', 'from must not be later than to.');
  if (lengthMs > maxDays * dayMs + clockChangeMs) {
    throw invalidField('from', 'OUT_OF_RANGE', `from and to must be at most ${maxDays} days apart.`);
  }
  return period;
}
