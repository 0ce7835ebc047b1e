import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explainReads } from './testing/explainReads.ts';
import { fillPastYear } from './testing/pastYear.ts';
import { listDayBalances, listTransfers, type TransferFilter } from './transfers.ts';

const perMonth = 500;

const { db, url, close } = await openTestDatabase();

beforeAll(async () => {
  await fillPastYear(url, ['org_own', 'org_other'], perMonth);
});

afterAll(close);

/** A page of 20, with one more item that shows whether there is a next page. */
const limit = 21;

const readFor = (filter: TransferFilter) =>
  explainReads(db, (asking) => listTransfers(asking, 'org_own', filter, limit));

/** Every third is of a kind; of each month one row of it is looked at, and for each end of a time one more. */
const fewRows = 3 * limit + 5 * 17;

describe('the list of transfers', () => {
  it.each<[string, TransferFilter]>([
    ['the newest', {}],
    ['from a cursor in the first month', { cursor: '900' }],
    ['of a kind', { kind: 'settle' }],
    ['before a time in the middle', { createdBefore: new Date('2025-06-20') }],
    ['after a time near the end', { createdAfter: new Date('2025-12-26T20:00:00Z') }],
    [
      'in half an hour of long ago',
      { createdAfter: new Date('2025-02-03'), createdBefore: new Date('2025-02-03T00:30:00Z') },
    ],
  ])('reads little more than its page: %s', async (_name, filter) => {
    const { rows } = await readFor(filter);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(fewRows);
  });

  it('of an execution reads only its month, and its refunds', async () => {
    const { rows } = await db.pool.query<{ id: string }>(
      `SELECT id FROM executions WHERE organization_id = 'org_own' AND id > month_bound('exec', '2025-03-01')
       ORDER BY id LIMIT 1`,
    );
    const read = await readFor({ executionId: rows[0]?.id });
    expect(read).toEqual({ relations: ['transfers_2025_03', 'transfers_funding'], rows: 3 });
  });

  it.each(['top_up', 'correction'] as const)('of kind %s opens their partition alone', async (kind) => {
    expect((await readFor({ kind })).relations).toEqual(['transfers_funding']);
  });

  it('of a period has exactly the transfers made in it', async () => {
    const [createdAfter, createdBefore] = [new Date('2025-05-02'), new Date('2025-05-04')];
    const list = await listTransfers(db, 'org_own', { createdAfter, createdBefore }, 1000);
    const { rows } = await db.pool.query<{ sequence: string }>(
      `SELECT sequence FROM transfers WHERE organization_id = 'org_own' AND created_at > $1 AND created_at < $2
       ORDER BY sequence DESC`,
      [createdAfter, createdBefore],
    );
    expect(rows.length).toBeGreaterThan(100);
    expect(list.map(({ sequence }) => sequence)).toEqual(rows.map(({ sequence }) => sequence));
  });
});

describe('the balances by day', () => {
  it('of a month read a few rows for each day', async () => {
    const { rows } = await explainReads(db, (asking) => listDayBalances(asking, 'org_own', 30));
    expect(rows).toBeLessThan(30 * 40);
  });

  it('are those of the last transfer of each day', async () => {
    const { rows: days } = await db.pool.query<{ days: number }>(
      `SELECT ceil(extract(epoch FROM now() - min(created_at)) / 86400)::int + 1 AS days FROM transfers
       WHERE organization_id = 'org_own'`,
    );
    const found = await listDayBalances(db, 'org_own', days[0]?.days ?? 0);
    const { rows } = await db.pool.query(
      `SELECT DISTINCT ON (day) day, available_after AS available, held_after AS held FROM (
         SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, * FROM transfers
         WHERE organization_id = 'org_own'
       ) t ORDER BY day, sequence DESC`,
    );
    expect(rows.length).toBeGreaterThan(300);
    const byDay = new Map(found.map((one) => [one.day, one]));
    expect(rows.map(({ day }) => byDay.get(day))).toEqual(rows);
  });
});
