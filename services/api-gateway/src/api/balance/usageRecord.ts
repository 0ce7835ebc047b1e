import { maxCountedByMetadata, type Usage, type UsageGrouping, usageGroupings } from '@holdfast/db/usage';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import type { CsvColumns } from '../../http/csv.ts';
import { amount, timestamp, withCommas } from '../../http/fields.ts';

const sums = {
  executions: z.int().describe('Number of completed executions'),
  cost: amount('The amount charged'),
  input_tokens: z.int().describe('Input tokens'),
  output_tokens: z.int().describe('Output tokens'),
};

const exampleSums = { executions: 3, cost: '0.144', input_tokens: 120, output_tokens: 860 };

const UsageRow = z
  .object({
    model: z.string().optional().describe('Model slug, with `group_by=model`'),
    day: z.iso.date().optional().describe('Day in the time zone `tz`, with `group_by=day`'),
    api_key: z
      .string()
      .nullable()
      .optional()
      .describe('Id of the API key, with `group_by=api_key`. Null: created without one'),
    metadata: z
      .string()
      .nullable()
      .optional()
      .describe('The value of `metadata_key`, with `group_by=metadata`. Null: executions without it'),
    ...sums,
  })
  .meta({ id: 'UsageRow' });

export const UsageReport = z
  .object({
    from: timestamp('Start of the period, inclusive, by completion time'),
    to: timestamp('End of the period, exclusive'),
    group_by: z.enum(usageGroupings).describe('What the rows are grouped by'),
    data: z
      .array(UsageRow)
      .describe('One row per model, day, key or value with executions, in order; values in order of cost'),
    counted_since: timestamp(
      `Older executions were not counted: at most the newest ${withCommas(maxCountedByMetadata)} are`,
    )
      .nullable()
      .optional()
      .describe('With `group_by=metadata`. Null: all are counted'),
    total: z.object(sums).meta({ id: 'UsageTotal', description: 'The sum of all rows' }),
  })
  .meta({
    id: 'Usage',
    example: {
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-04-01T00:00:00.000Z',
      group_by: 'model',
      data: [{ model: 'sandbox-image', ...exampleSums }],
      total: exampleSums,
    },
  });

export const exampleUsageRow = { model: 'sandbox-image', ...exampleSums };

export function usageColumns(
  groupBy: UsageGrouping,
  { withWriteOffs } = { withWriteOffs: false },
): CsvColumns {
  return {
    [groupBy]: 'text',
    executions: 'number',
    cost: 'number',
    ...(withWriteOffs && { written_off: 'number' as const }),
    input_tokens: 'number',
    output_tokens: 'number',
  };
}

type UsagePeriod = {
  from: Date;
  to: Date;
  groupBy: UsageGrouping;
  /** Only operators see write-offs. */
  withWriteOffs: boolean;
};

export function usageReport(period: UsagePeriod, usage: Usage[]) {
  const sumsOf = (sums: Sums) => sumsRecord(sums, period.withWriteOffs);
  const total = usage.reduce(addSums, {
    executions: 0,
    cost: '0',
    writtenOff: '0',
    inputTokens: 0,
    outputTokens: 0,
  });
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    group_by: period.groupBy,
    data: usage.map((row) => ({ [period.groupBy]: row.group, ...sumsOf(row) })),
    total: sumsOf(total),
  };
}

type Sums = Omit<Usage, 'group'>;

function addSums(sum: Sums, row: Sums): Sums {
  return {
    executions: sum.executions + row.executions,
    cost: new MoneyDecimal(sum.cost).plus(row.cost).toFixed(),
    writtenOff: new MoneyDecimal(sum.writtenOff).plus(row.writtenOff).toFixed(),
    inputTokens: sum.inputTokens + row.inputTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
  };
}

function sumsRecord(
  { executions, cost, writtenOff, inputTokens, outputTokens }: Sums,
  withWriteOffs: boolean,
) {
  return {
    executions,
    cost: formatMoney(cost),
    ...(withWriteOffs && { written_off: formatMoney(writtenOff) }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
  };
}
