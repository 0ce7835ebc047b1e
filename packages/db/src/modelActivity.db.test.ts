import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readModelActivity } from './modelActivity.ts';
import { explainReads } from './testing/explainReads.ts';
import { fillPastYear } from './testing/pastYear.ts';

const { db, url, close } = await openTestDatabase();

/** An execution each 77.76 minutes of a month's first 27 days; of June, every fourth failed. */
beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_tests'], 500);
  await db.pool.query(`INSERT INTO organizations (id, name, webhook_secret, test_of)
    VALUES ('org_own', 'own', '', NULL), ('org_tests', 'tests', '', 'org_own')`);
  // No trigger counts this.
  const owner = await db.pool.connect();
  await owner.query(`
    SET session_replication_role = replica;
    UPDATE executions SET status = 'FAILED', cost = NULL, error_code = 'MODEL_OVERLOADED' FROM (
      SELECT id AS failed, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS n FROM executions
      WHERE created_at >= '2025-06-01Z' AND created_at < '2025-07-01Z'
    ) f WHERE id = failed AND n % 4 = 0;
    SELECT recount_usage();
    RESET session_replication_role`);
  owner.release();
});

afterAll(close);

const now = new Date('2025-06-15T00:00:00Z');

describe('the activity of models', () => {
  it('reads of a week the sums of days', async () => {
    const { relations, rows } = await explainReads(db, async (asking) => {
      await readModelActivity(asking, now);
    });
    expect(relations).toContain('usage_days');
    expect(rows).toBeLessThan(100);
  });

  it('counts what completed and failed in a day and in a week, without tests', async () => {
    const { models, areMore } = await readModelActivity(db, now);
    const { rows } = await db.pool.query(`
      SELECT model, status, count(*) FILTER (WHERE created_at >= '2025-06-14Z')::int AS day, count(*)::int AS week
      FROM executions WHERE organization_id = 'org_own' AND created_at >= '2025-06-08Z' AND created_at < '2025-06-15Z'
      GROUP BY 1, 2`);
    const of = (status: string) => rows.find((row) => row.status === status);
    const [failed, completed] = [of('FAILED'), of('COMPLETED')];
    expect(failed.day).toBeGreaterThan(0);
    expect(models).toHaveLength(1);
    expect(models[0]?.day).toMatchObject({ completed: completed.day });
    expect(models[0]?.week).toMatchObject({ completed: completed.week });
    expect(areMore).toBe(false);
    const { models: ofJune } = await readModelActivity(db, new Date('2025-07-01T00:00:00Z'));
    expect(ofJune[0]?.week.failed).toBeGreaterThan(0);
  });
});
