import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from './testing/explainReads.ts';
import { fillPastYear, months } from './testing/pastYear.ts';
import { sumUsage, type UsageGrouping } from './usage.ts';

const perMonth = 500;

const { db, url, close } = await openTestDatabase();

beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_other'], perMonth);
});

afterAll(close);

const period = (from: string, to: string, groupBy: UsageGrouping = 'model') => ({
  organizationId: 'org_own',
  groupBy,
  timeZone: 'UTC',
  from: new Date(from),
  to: new Date(to),
});

describe('the sum of usage', () => {
  it.each(['model', 'day'] as const)(
    'by %s reads the executions of its period and of a week before, of no other organization',
    async (groupBy) => {
      const { rows, relations } = await explainReads(db, (asking) =>
        sumUsage(asking, period('2025-11-12', '2025-11-13', groupBy)),
      );
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual((perMonth * 8) / 27 + 1);
      expect(relations).toContain('executions_2025_11');
      expect(relations).not.toContain('executions_2025_10');
    },
  );

  it('of a year covers all its months', async () => {
    const executions = perMonth * months;
    expect(await sumUsage(db, period('2025-01-01', '2026-01-01'))).toEqual([
      {
        group: 'm',
        executions,
        cost: `${executions / 5}.00000000`,
        writtenOff: '0',
        inputTokens: executions,
        outputTokens: 2 * executions,
      },
    ]);
  });

  it('of all months equals that of the year', async () => {
    const bounds = Array.from({ length: months + 1 }, (_, month) =>
      new Date(Date.UTC(2025, month)).toISOString(),
    );
    const parts = await Promise.all(
      bounds.slice(1).map((to, month) => sumUsage(db, period(bounds[month] ?? '', to, 'day'))),
    );
    const days = parts.flat();
    expect(days.reduce((sum, { executions }) => sum + executions, 0)).toBe(perMonth * months);
    expect(new Set(days.map(({ group }) => group)).size).toBe(days.length);
  });
});
