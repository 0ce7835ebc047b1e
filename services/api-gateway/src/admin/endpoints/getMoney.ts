import { type MoneyPeriod, type MoneyRow, moneyGroupings, readMoney } from '@holdfast/db/money';
import { listOrganizations } from '@holdfast/db/organizations';
import { timeFromNow } from '@holdfast/db/statement';
import { invalidField } from '@holdfast/domain/errors';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { amount, idFilter, timeField, timestamp, toDate } from '../../http/fields.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxDays = 366;
/** Longer periods are read by the day. */
const maxByHourMs = 3 * dayMs;
const maxRows = 500;

const sums = {
  executions: z.int().describe('Executions that completed'),
  revenue: amount('What clients paid for them'),
  known_revenue: amount('The part of `revenue` whose runs have a known cost at their provider'),
  cost: amount('What these runs cost'),
  lost_runs: z
    .int()
    .describe('Runs that cost something and that no client paid for: they failed, or were cancelled'),
  lost: amount('What those cost'),
  margin: amount('`known_revenue` without `cost` and `lost`'),
};

const Money = z
  .object({
    from: timestamp('Start of the period, inclusive, by completion time'),
    to: timestamp('End of the period, exclusive'),
    unit: z.enum(['hour', 'day']).describe('What the period was rounded to, and the rows of `group_by=time`'),
    group_by: z.enum(moneyGroupings),
    data: z
      .array(
        z
          .object({
            group: z
              .string()
              .nullable()
              .describe(
                'A model, connection, organization id, or the start of an hour or day. Null: no known cost',
              ),
            name: z.string().nullable().describe("An organization's name"),
            ...sums,
          })
          .meta({ id: 'MoneyRow' }),
      )
      .describe(`In order of revenue, or of time; at most ${maxRows}`),
    total: z.object(sums).meta({ id: 'MoneyTotal', description: 'The sum of all rows' }),
  })
  .meta({ id: 'Money' });

export const getMoney = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/money',
  tag: 'Money',
  summary: 'Read what executions brought in and what they cost',
  description:
    'Revenue, cost at the providers and margin, of executions that completed in a period; runs of test keys are left out. ' +
    'What a run costs is what its provider reports, else the `provider_price` of its model; it is counted some seconds ' +
    `after its execution has ended. Periods of up to three days are of whole hours, longer ones of whole days (UTC), at most ${maxDays}. ` +
    'With `Accept: text/csv` the rows are returned as CSV.',
  access: 'operator',
  limit: 'other',
  query: z.object({
    from: timeField().meta({ description: 'Start of the period. Default: a day before `to`' }).optional(),
    to: timeField().meta({ description: 'End of the period. Default: now' }).optional(),
    group_by: z.enum(moneyGroupings).default('model').describe('What the rows are grouped by'),
    organization_id: idFilter('org', 'Only this organization').optional(),
    model: z.string().max(64).optional().describe('Only this model'),
    provider: z.string().max(32).optional().describe('Only runs of this connection whose cost is known'),
  }),
  responses: { 200: { description: 'Revenue and cost', schema: Money } },
  async handle({ context, query }) {
    const period = periodOf(await timeFromNow(context.db, 0), query);
    const { group_by: groupBy, organization_id: organizationId, model, provider } = query;
    const filter = {
      ...(organizationId !== undefined && { organizationId }),
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
    };
    const rows = await context.reader.read('operators', (db) => readMoney(db, { period, groupBy, filter }));
    const shown = rows.slice(0, maxRows);
    const names = groupBy === 'organization' ? await namesOf(context, shown) : new Map<string, string>();
    const data = shown.map((row) => {
      return { group: row.group, name: names.get(row.group ?? '') ?? null, ...record(row) };
    });
    const [from, to] = [period.from.toISOString(), period.to.toISOString()];
    const body = { from, to, unit: period.unit, group_by: groupBy, data, total: record(sumOf(rows)) };
    const columns = {
      group: 'text',
      ...(groupBy === 'organization' && { name: 'text' as const }),
      ...Object.fromEntries(Object.keys(sums).map((name) => [name, 'number' as const])),
    } as const;
    const filename = `money_by_${groupBy}_${from.slice(0, 10)}_${to.slice(0, 10)}.csv`;
    return { status: 200, body, table: { filename, columns, rows: data } };
  },
});

/** @throws INPUT_VALIDATION_ERROR for a negative period or one that is too long */
function periodOf(now: Date, query: { from?: string | undefined; to?: string | undefined }): MoneyPeriod {
  const to = toDate(query.to) ?? now;
  const from = toDate(query.from) ?? new Date(to.getTime() - dayMs);
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs < 0) throw invalidField('from', 'OUT_OF_RANGE', 'from must not be later than to.');
  if (lengthMs > maxDays * dayMs)
    throw invalidField('from', 'OUT_OF_RANGE', `from and to must be at most ${maxDays} days apart.`);
  const unit = lengthMs <= maxByHourMs ? 'hour' : 'day';
  const unitMs = unit === 'hour' ? hourMs : dayMs;
  const rounded = (round: (units: number) => number, time: Date) =>
    new Date(round(time.getTime() / unitMs) * unitMs);
  return { unit, from: rounded(Math.floor, from), to: rounded(Math.ceil, to) };
}

type Sums = Omit<MoneyRow, 'group'>;

function sumOf(rows: MoneyRow[]): Sums {
  const total = (of: (row: MoneyRow) => string | number) =>
    rows.reduce((sum, row) => sum.plus(of(row)), new MoneyDecimal(0));
  return {
    executions: total((row) => row.executions).toNumber(),
    revenue: total((row) => row.revenue).toFixed(),
    knownRevenue: total((row) => row.knownRevenue).toFixed(),
    cost: total((row) => row.cost).toFixed(),
    lostRuns: total((row) => row.lostRuns).toNumber(),
    lost: total((row) => row.lost).toFixed(),
  };
}

const record = ({ executions, revenue, knownRevenue, cost, lostRuns, lost }: Sums) => ({
  executions,
  revenue: formatMoney(revenue),
  known_revenue: formatMoney(knownRevenue),
  cost: formatMoney(cost),
  lost_runs: lostRuns,
  lost: formatMoney(lost),
  margin: formatMoney(new MoneyDecimal(knownRevenue).minus(cost).minus(lost)),
});

async function namesOf({ db }: Context, rows: MoneyRow[]): Promise<Map<string, string>> {
  const ids = rows.map(({ group }) => String(group));
  const found = await listOrganizations(db, { limit: ids.length, ids });
  return new Map(found.map(({ id, name }) => [id, name]));
}
