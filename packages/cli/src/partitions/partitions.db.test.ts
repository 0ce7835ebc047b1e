import { listPartitions } from '@holdfast/db/partitions';
import { UsageError } from '@holdfast/kit/flags';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { partitions } from './partitions.ts';

const { db, close } = await openTestDatabase();

beforeEach(async () => {
  await db.pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-01-01'::date)`);
});
afterAll(close);

/** The exit code and what was said. */
async function run(...args: string[]) {
  const said: string[] = [];
  const code = await partitions(args, { openDatabase: async () => db, print: (line) => said.push(line) });
  return { code, said };
}

const names = async () => (await listPartitions(db.pool)).map(({ name }) => name);

const tables = [
  'batch_items',
  'deliveries',
  'delivery_attempts',
  'events',
  'executions',
  'stream_events',
  'streams',
]
  .map((table) => `${table}_2025_01`)
  .join(', ');

describe('holdfast partitions', () => {
  it('lists each partition with its month and size', async () => {
    const { said } = await run('list');
    expect(said).toHaveLength((await names()).length);
    expect(said[0]).toMatch(/^2025-01 {2}batch_items_2025_01 +\? rows +0\.\d MB$/);
  });

  it('makes the missing partitions for the given number of months', async () => {
    const { said } = await run('make', '--months', '4');
    expect(said[0]).toMatch(/^made: batch_items_\d{4}_\d\d, deliveries_\d{4}_\d\d, delivery_attempts_/);
    expect(await run('make')).toEqual({ code: 0, said: ['All of them exist already.'] });
  });

  it('lists what drop would remove, and removes nothing without --yes', async () => {
    const before = await names();
    const { code, said } = await run('drop', '--older-than-days', '30');
    expect(code).toBe(0);
    expect(said.map((line) => line.split(/ +/)[1])).toEqual([
      'batch_items_2025_01',
      'deliveries_2025_01',
      'delivery_attempts_2025_01',
      'events_2025_01',
      'executions_2025_01',
      'stream_events_2025_01',
      'streams_2025_01',
      '7',
    ]);
    expect(said.at(-1)).toContain('repeat with --yes');
    expect(await names()).toEqual(before);
  });

  it('drops with --yes and keeps the journal, and drops it too with --including-journal', async () => {
    const { said } = await run('drop', '--older-than-days', '30', '--yes');
    expect(said.at(-1)).toBe(`dropped: ${tables}`);
    expect(await names()).toContain('transfers_2025_01');
    const all = await run('drop', '--older-than-days', '30', '--including-journal', '--yes');
    expect(all.said.at(-1)).toBe('dropped: transfers_2025_01');
    expect((await run('drop', '--older-than-days', '30', '--yes')).said).toEqual([
      'There is nothing to drop.',
    ]);
  });

  it.each(['events', 'events_2025_01'])('fails when a partition to drop is in use: %s', async (table) => {
    const reader = await db.pool.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT FROM ${table}`);
    const { code, said } = await run('drop', '--older-than-days', '30', '--yes');
    await reader.query('ROLLBACK');
    reader.release();
    expect(code).toBe(1);
    expect(said.slice(-2)).toEqual([
      'executions_2025_01 was not dropped: it is in use. Try again.',
      `not dropped: ${tables}`,
    ]);
    expect(said.filter((line) => line.startsWith('dropped'))).toEqual([]);
    expect(await names()).toContain('deliveries_2025_01');
  });

  it('fails when a partition to drop had to be kept', async () => {
    // Its execution does not exist, so nothing removes it.
    await db.pool.query(
      `INSERT INTO attempts (id, execution_id, number, provider, state, token)
       VALUES ('att_1', month_bound('exec', '2025-01-01') || '-7000', 1, 'p', 'starting', 'token')`,
    );
    const { code, said } = await run('drop', '--older-than-days', '30', '--yes');
    await db.pool.query('DELETE FROM attempts');
    expect(code).toBe(1);
    expect(said).toContain('executions_2025_01 was not dropped: attempts of it are there yet. Try again.');
  });

  it.each([
    [[], 'takes list, make or drop'],
    [['empty'], 'takes list, make or drop'],
    [['list', 'more'], 'unexpected "more"'],
    [['list', '--all'], "Unknown option '--all'"],
    [['list', '--yes'], 'list takes no --yes'],
    [['make', '--months', '4', '--older-than-days', '40'], 'make takes no --older-than-days'],
    [['make', '--months', 'x'], '--months needs a whole number from 0 to 24'],
    [['make', '--months', '25'], '--months needs a whole number from 0 to 24'],
    [['drop'], '--older-than-days needs a whole number from 30'],
    [['drop', '--older-than-days', '29'], '--older-than-days needs a whole number from 30'],
    [['drop', '--older-than-days', '40', '--months', '4'], 'drop takes no --months'],
  ])('refuses %j and does nothing', async (args, reason) => {
    const before = await names();
    const refused = run(...args);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(reason);
    expect(await names()).toEqual(before);
  });
});
