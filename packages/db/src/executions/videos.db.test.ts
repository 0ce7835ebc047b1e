import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { explainReads } from '../testing/explainReads.ts';
import { fillPastYear, months } from '../testing/pastYear.ts';
import { listVideoExecutions } from './videos.ts';

const { db, url, close } = await openTestDatabase();
afterAll(close);
await fillPastYear(url, ['org_own', 'org_other'], 500);

const mark = async (organizationId: string, from: string) => {
  const { rows } = await db.pool.query<{ id: string }>(
    `UPDATE executions SET webhook_dialect = '{"name":"openai","events":[],"operation":"videos"}'
     WHERE id IN (SELECT id FROM executions WHERE organization_id = $1 AND created_at >= $2 ORDER BY id LIMIT 2)
     RETURNING id`,
    [organizationId, from],
  );
  return rows.map(({ id }) => id);
};
const videos = (
  await Promise.all(['2025-02-10', '2025-06-20', '2025-11-05'].map((at) => mark('org_own', at)))
)
  .flat()
  .sort();
await mark('org_other', '2025-06-01');
await db.pool.query('ANALYZE executions');

describe.each(['asc', 'desc'] as const)('a list of videos (%s)', (order) => {
  const page = { models: ['m'], order, limit: 2 };

  it('reads little', async () => {
    const { rows } = await explainReads(db, (asking) =>
      listVideoExecutions(asking, 'org_own', { ...page, after: videos[2] ?? '' }),
    );
    expect(rows).toBeLessThan(3 * months);
  });

  it('has all, by pages', async () => {
    const found: string[] = [];
    for (let after: string | null = null, isFirst = true; isFirst || after; isFirst = false) {
      const { rows, next } = await listVideoExecutions(db, 'org_own', { ...page, after });
      found.push(...rows.map(({ id }) => id));
      after = next;
    }
    expect(found).toEqual(order === 'asc' ? videos : videos.toReversed());
  });
});

it('a list of videos has none that was erased, and none of other models', async () => {
  await db.pool.query('UPDATE executions SET erased_at = now() WHERE id = $1', [videos[0]]);
  const page = { after: null, order: 'asc' as const, limit: 10 };
  const { rows } = await listVideoExecutions(db, 'org_own', { ...page, models: null });
  expect(rows.map(({ id }) => id)).toEqual(videos.slice(1));
  expect((await listVideoExecutions(db, 'org_own', { ...page, models: ['other'] })).rows).toEqual([]);
});
