import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from '../testing/explainReads.ts';
import { fillPastYear } from '../testing/pastYear.ts';
import { type ExecutionSearch, searchExecutions, searchedPerPage } from './search.ts';

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

const all = { organizationId: 'org_own' };

describe("a search among an organization's executions", () => {
  const prefixes = [
    ['an id', 'exec_'.length + 36],
    ['the first 14 characters of an id', 14],
  ] as const;

  it.each(prefixes)('for %s of long ago reads little', async (_name, length) => {
    const { rows } = await explainReads(db, async (asking) => {
      await searchExecutions(asking, { ...all, idPrefix: old.slice(0, length) }, 50, searchedPerPage.client);
    });
    expect(rows).toBeLessThan(perMonth / 10);
  });

  it.each(prefixes)('for %s of long ago finds it', async (_name, length) => {
    const { rows } = await searchExecutions(
      db,
      { ...all, idPrefix: old.slice(0, length) },
      50,
      searchedPerPage.client,
    );
    expect(rows.map(({ id }) => id)).toContain(old);
  });

  it('finds no execution of another organization', async () => {
    const search = { ...all, organizationId: 'org_other', idPrefix: old };
    expect((await searchExecutions(db, search, 50, searchedPerPage.client)).rows).toEqual([]);
  });
});

describe("a client's list", () => {
  const searched = 100;
  const time = new Date('2025-06-15');
  /** Each is of few executions or none, among many. */
  const filters: Record<string, ExecutionSearch> = {
    'no filter': {},
    'a status that all have': { statuses: ['COMPLETED'] },
    'a status that none has': { statuses: ['PENDING'] },
    'a model that none has': { model: 'absent' },
    'models of which none has one': { models: ['absent', 'another'] },
    'a time': { createdBefore: time },
    'a time, and a status that none has': { createdBefore: time, statuses: ['FAILED'] },
    'a day, and a status that none has': {
      createdAfter: time,
      createdBefore: new Date('2025-06-16'),
      statuses: ['FAILED'],
    },
  };

  it.each(Object.entries(filters))('filtered by %s reads no more rows than its bound', async (_, filter) => {
    const { rows } = await explainReads(db, async (asking) => {
      await searchExecutions(asking, { ...all, ...filter }, 20, searched);
    });
    expect(rows).toBeLessThanOrEqual(searched + 3 * 20);
  });

  it('goes on behind its cursor through pages without an execution, until there are no more', async () => {
    await db.pool.query(`UPDATE executions SET model = 'rare' WHERE id = $1`, [old]);
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const page = await searchExecutions(db, { ...all, model: 'rare', cursor }, 20, 5000);
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.next ?? undefined;
      pages += 1;
    }
    expect(found).toEqual([old]);
    expect(pages).toBe(Math.floor((12 * perMonth) / 5000) + 1);
  });

  it("finds nothing behind another organization's cursor", async () => {
    const search = { organizationId: 'org_other', cursor: old };
    expect(await searchExecutions(db, search, 20, searched)).toMatchObject({ rows: [], next: null });
  });
});
