import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { invariants } from './audit/audit.ts';
import type { Database } from './client.ts';
import { explainReads } from './testing/explainReads.ts';
import { fillPastYear, months } from './testing/pastYear.ts';
import { type SummedGrouping, sumUsage, usagePeriod } from './usage.ts';

const perMonth = 500;

const { db, url, close } = await openTestDatabase();

beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_other'], perMonth);
});

afterAll(close);

async function inRolledBack(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await db.pool.connect();
  await client.query('BEGIN');
  try {
    await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Statements of one transaction. */
const asDatabase = (client: PoolClient) => ({ pool: client }) as unknown as Database;

const usage = (from: string, to: string, groupBy: SummedGrouping = 'model') => ({
  organizationId: 'org_own',
  groupBy,
  timeZone: 'UTC',
  period: { from: new Date(from), to: new Date(to), isUntilNow: false, hasWholeHours: true },
});

describe('the sum of usage', () => {
  it.each([
    ['model', 'UTC', '2025-01-01', '2026-01-01', 366],
    ['day', 'UTC', '2025-01-01', '2026-01-01', 366],
    ['api_key', 'UTC', '2025-01-01', '2026-01-01', 366],
    ['model', 'Europe/Berlin', '2024-12-31T23:00Z', '2025-12-31T23:00Z', 366 + 24],
    ['day', 'Europe/Berlin', '2024-12-31T23:00Z', '2025-12-31T23:00Z', months * perMonth + 1],
  ] as const)('by %s in %s reads no execution', async (groupBy, timeZone, from, to, most) => {
    const { rows, relations } = await explainReads(db, (asking) =>
      sumUsage(asking, { ...usage(from, to, groupBy), timeZone }),
    );
    expect(rows).toBeLessThanOrEqual(most);
    expect(new Set(relations)).toEqual(new Set(['usage_hours', 'usage_days']));
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
    ['hours without a whole day', '2025-06-03T04:00Z', '2025-06-04T22:00Z', true],
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

  it('includes the hours of days that have no sums yet', async () => {
    const whole = await sumUsage(db, usage('2025-01-01', '2026-01-01', 'day'));
    await inRolledBack(async (client) => {
      await client.query(`DELETE FROM usage_days WHERE day >= '2025-10-05'`);
      expect(await sumUsage(asDatabase(client), usage('2025-01-01', '2026-01-01', 'day'))).toEqual(whole);
      await client.query('DELETE FROM usage_days');
      expect(await sumUsage(asDatabase(client), usage('2025-01-01', '2026-01-01', 'day'))).toEqual(whole);
    });
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

describe('the sums of days', () => {
  const breaches = async (client: PoolClient) => {
    const hours = await client.query(
      invariants['the usage of an hour is that of the executions completed in it'],
    );
    const days = await client.query(invariants['the usage of a day is the sum of its hours']);
    return [...hours.rows, ...days.rows];
  };

  it('are corrected when an execution of a day that has them is settled', async () => {
    await inRolledBack(async (client) => {
      const late = `UPDATE executions SET cost = cost + 0.5 WHERE organization_id = 'org_own' AND created_at BETWEEN $1 AND $2`;
      const { rowCount } = await client.query(late, ['2025-03-02T11:00Z', '2025-03-04T16:00Z']);
      expect(rowCount).toBeGreaterThan(0);
      expect(await breaches(client)).toEqual([]);
      const [march] = await sumUsage(asDatabase(client), usage('2025-03-01', '2025-04-01'));
      expect(march?.cost).toBe(`${perMonth / 5 + (rowCount ?? 0) / 2}.00000000`);
    });
  });

  it('are made of all days that have ended by the first settlement of an hour', async () => {
    await inRolledBack(async (client) => {
      const days = async () => {
        const { rows } = await client.query(`SELECT DISTINCT day::text FROM usage_days
          WHERE organization_id = 'org_own' AND day >= '2025-11-01' ORDER BY 1 DESC LIMIT 1`);
        return rows[0]?.day;
      };
      await client.query(`DELETE FROM usage_days WHERE day >= '2025-11-05'`);
      expect(await days()).toBe('2025-11-04');
      const settle = (completedAt: string) =>
        client.query(
          `UPDATE executions SET completed_at = ${completedAt} WHERE id = (
             SELECT max(id) FROM executions WHERE organization_id = 'org_own')`,
        );
      await settle('now()');
      expect(await days()).toBe('2025-12-27');
      expect(await breaches(client)).toEqual([]);
      await settle(`now() - interval '3 days'`);
      expect(await breaches(client)).toEqual([]);
    });
  });
});
