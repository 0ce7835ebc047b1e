import { type Usage, type UsageGrouping, usageGroupings } from '@holdfast/db/usage';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { z } from 'zod';
import type { CsvColumns } from '../../http/csv.ts';
import { timestamp } from '../../http/fields.ts';
import { amount } from '../../money/amounts.ts';

const sums = {
  executions: z.int().describe('How many completed'),
  cost: amount('What was charged for them'),
  input_tokens: z.int().describe('Tokens that went in'),
  output_tokens: z.int().describe('Tokens that came out'),
};

const exampleSums = { executions: 3, cost: '0.144', input_tokens: 120, output_tokens: 860 };

export const UsageReport = z
  .object({
    from: timestamp('Executions count that completed at this time or later'),
    to: timestamp('and before this time'),
    group_by: z.enum(usageGroupings).describe('What each row is of'),
    data: z
      .array(
        z.object({
          model: z.string().optional().describe('With `group_by=model`: model slug'),
          day: z.iso.date().optional().describe('With `group_by=day`: day in UTC'),
          ...sums,
        }),
      )
      .describe('In order of model or day; without any execution there is no row'),
    total: z.object(sums).describe('Of all rows'),
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

type Asked = {
  from: Date;
  to: Date;
  groupBy: UsageGrouping;
  /** Which are the operator's to see. */
  withWriteOffs: boolean;
};

export function usageReport(asked: Asked, usage: Usage[]) {
  const sumsOf = (sums: Sums) => sumsRecord(sums, asked.withWriteOffs);
  const total = usage.reduce(added, {
    executions: 0,
    cost: '0',
    writtenOff: '0',
    inputTokens: 0,
    outputTokens: 0,
  });
  return {
    from: asked.from.toISOString(),
    to: asked.to.toISOString(),
    group_by: asked.groupBy,
    data: usage.map((row) => ({ [asked.groupBy]: row.group, ...sumsOf(row) })),
    total: sumsOf(total),
  };
}

type Sums = Omit<Usage, 'group'>;

function added(sum: Sums, row: Sums): Sums {
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
