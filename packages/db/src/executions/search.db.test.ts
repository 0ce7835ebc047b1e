import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from '../testing/explainReads.ts';
import { fillPastYear } from '../testing/pastYear.ts';
import { searchExecutions } from './search.ts';

const perMonth = 2000;

const { db, url, close } = await openTestDatabase();
let old: string;

beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_other'], perMonth);
  await db.pool.query('ANALYZE executions');
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM executions WHERE organization_id = 'org_own' AND created_at < '2025-02-10' ORDER BY id DESC LIMIT 1`,
  );
  old = rows[0]?.id ?? '';
});
afterAll(close);

const all = { organizationId: 'org_own', createdAfter: new Date(0) };

describe("a search among an organization's executions", () => {
  const prefixes = [
    ['an id', 'exec_'.length + 36],
    ['the first 14 characters of an id', 14],
  ] as const;

  it.each(prefixes)('for %s of long ago reads little', async (_name, length) => {
    const { rows } = await explainReads(db, async (asking) => {
      await searchExecutions(asking, { ...all, idPrefix: old.slice(0, length) }, 50);
    });
    expect(rows).toBeLessThan(perMonth / 10);
  });

  it.each(prefixes)('for %s of long ago finds it', async (_name, length) => {
    const { rows } = await searchExecutions(db, { ...all, idPrefix: old.slice(0, length) }, 50);
    expect(rows.map(({ id }) => id)).toContain(old);
  });

  it('finds no execution of another organization', async () => {
    const search = { ...all, organizationId: 'org_other', idPrefix: old };
    expect((await searchExecutions(db, search, 50)).rows).toEqual([]);
  });
});
