import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from './testing/explainReads.ts';
import { fillPastYear, months } from './testing/pastYear.ts';
import { sumUsage, type UsageGrouping, usagePeriod } from './usage.ts';

const perMonth = 500;

const { db, url, close } = await openTestDatabase();

beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_other'], perMonth);
});

afterAll(close);

const usage = (from: string, to: string, groupBy: UsageGrouping = 'model') => ({
  organizationId: 'org_own',
  groupBy,
  timeZone: 'UTC',
  period: { from: new Date(from), to: new Date(to), isUntilNow: false, hasWholeHours: true },
});

describe('the sum of usage', () => {
  it.each(['model', 'day'] as const)('by %s of whole hours reads no execution', async (groupBy) => {
    const { rows, relations } = await explainReads(db, (asking) =>
      sumUsage(asking, usage('2025-01-01', '2026-01-01', groupBy)),
    );
    expect(rows).toBe(months * perMonth);
    expect([...new Set(relations)]).toEqual(['usage_hours']);
  });

  it.each(['model', 'day'] as const)(
    'by %s of parts of hours reads the executions of these and of a week before, of no other organization',
    async (groupBy) => {
      const { rows, relations } = await explainReads(db, (asking) =>
        sumUsage(asking, usage('2025-11-12T00:30Z', '2025-11-12T02:00Z', groupBy)),
      );
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual((perMonth * 8) / 27 + 1);
      expect(relations).toContain('executions_2025_11');
      expect(relations).not.toContain('executions_2025_10');
    },
  );

  it.each([
    ['parts of hours', '2025-06-03T10:20Z', '2025-06-20T17:50Z', true],
    ['a part of one hour', '2025-06-03T10:05Z', '2025-06-03T10:50Z', true],
    ['days of a time zone whose hours are not those of UTC', '2025-06-03', '2025-06-20', false],
  ])('of %s is that of the executions', async (_, from, to, hasWholeHours) => {
    const { rows } = await db.pool.query<{ executions: number }>(
      `SELECT count(*)::int AS executions FROM executions
       WHERE organization_id = 'org_own' AND completed_at >= $1 AND completed_at < $2`,
      [new Date(from), new Date(to)],
    );
    const { period, ...asked } = usage(from, to, 'day');
    const days = await sumUsage(db, { ...asked, period: { ...period, hasWholeHours } });
    expect(days.reduce((sum, { executions }) => sum + executions, 0)).toBe(rows[0]?.executions);
  });

  it.each([
    ['UTC', true],
    ['Europe/Berlin', true],
    ['Asia/Kolkata', false],
    ['Australia/Lord_Howe', false],
  ])('knows whether the hours of %s are those of UTC', async (timeZone, hasWholeHours) => {
    const period = await usagePeriod(db, { from: '2025-01-01', to: '2026-01-01', timeZone });
    expect(period).toMatchObject({ hasWholeHours, isUntilNow: false });
  });

  it('of a year covers all its months', async () => {
    const executions = perMonth * months;
    expect(await sumUsage(db, usage('2025-01-01', '2026-01-01'))).toEqual([
      {
        group: 'm',
        executions,
        cost: `${executions / 5}.00000000`,
        writtenOff: '0.00000000',
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
      bounds.slice(1).map((to, month) => sumUsage(db, usage(bounds[month] ?? '', to, 'day'))),
    );
    const days = parts.flat();
    expect(days.reduce((sum, { executions }) => sum + executions, 0)).toBe(perMonth * months);
    expect(new Set(days.map(({ group }) => group)).size).toBe(days.length);
  });
});
