import { type Database, openDatabase } from '@holdfast/db/client';
import { listPartitions } from '@holdfast/db/partitions';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { asRole, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ledgerMetrics } from './metrics.ts';
import { exportHorizon, keepPartitions } from './partitions.ts';

let owner: Database;
let db: Database;
let close: () => Promise<void>;

beforeEach(async () => {
  let url: string;
  ({ db: owner, url, close } = await openTestDatabase());
  db = openDatabase({ url: asRole(url, 'holdfast_ledger'), poolSize: 2, applicationName: 'test' });
});

afterEach(async () => {
  await db.close();
  await close();
});

const log = createLogger('test', 'silent');
const keep = (executions: number | null, deliveries = 36_500) =>
  keepPartitions({ db, retentionDays: { executions, deliveries }, isStopped: () => false, log });

const names = async () => (await listPartitions(db.pool)).map(({ name }) => name);
const makePast = () => owner.pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-01-01'::date)`);

async function dropAhead(): Promise<string[]> {
  const ahead = (await listPartitions(owner.pool)).filter(({ month }) => month > new Date().toISOString());
  for (const { name } of ahead) await owner.pool.query(`DROP TABLE ${name}`);
  return ahead.map(({ name }) => name);
}

async function readGauges(): Promise<number[]> {
  const registry = createRegistry('test');
  await exportHorizon(db, ledgerMetrics(registry));
  const read = ['partitions_ahead_months', 'partitions_oldest_timestamp_seconds'].map(async (name) => {
    const metric = await registry.getSingleMetric(`holdfast_${name}`)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  });
  return await Promise.all(read);
}

describe('the upkeep of partitions', () => {
  it('makes three months ahead', async () => {
    // The template of the tests may be of the month before.
    await keep(null);
    const before = await names();
    expect(await dropAhead()).toHaveLength(24);
    expect((await readGauges())[0]).toBe(0);
    await keep(null);
    expect(await names()).toEqual(before);
    expect((await readGauges())[0]).toBe(3);
  });

  it('drops months older than the retention, and nothing without one', async () => {
    await makePast();
    await keep(null);
    expect(await names()).toContain('executions_2025_01');
    expect((await readGauges())[1]).toBe(Date.parse('2025-01-01') / 1000);
    await keep(30);
    expect((await names()).filter((name) => name.endsWith('2025_01'))).toEqual(['transfers_2025_01']);
    expect((await readGauges())[1]).toBeGreaterThan(Date.parse('2026-01-01') / 1000);
  });

  it('drops the log of deliveries by a retention of its own, and nothing else', async () => {
    await makePast();
    const old = async () => (await names()).filter((name) => name.endsWith('2025_01'));
    const rest = ['batch_items', 'events', 'executions', 'stream_events', 'streams', 'transfers'].map(
      (table) => `${table}_2025_01`,
    );
    expect((await old()).sort()).toEqual(['deliveries_2025_01', 'delivery_attempts_2025_01', ...rest].sort());
    await keep(null, 30);
    expect(await old()).toEqual(rest);
    await keep(30, 30);
    expect(await old()).toEqual(['transfers_2025_01']);
  });

  it('keeps the log of a month in which a delivery is pending', async () => {
    await makePast();
    await owner.pool.query(
      `INSERT INTO deliveries (id, event_id, organization_id, lane, url, expires_at)
       SELECT delivery_id(event, NULL), event, 'org_1', 'lane', 'https://x.test/', now() + interval '1 day'
       FROM (SELECT month_bound('evt', '2025-01-15') || '-7000' AS event) AS made`,
    );
    const warn = jest.spyOn(log, 'warn');
    await keep(null, 30);
    expect(warn).toHaveBeenCalledWith(
      { partition: 'deliveries_2025_01', reason: 'deliveries of it are pending' },
      expect.any(String),
    );
    warn.mockRestore();
    expect(await names()).toContain('delivery_attempts_2025_01');
    await owner.pool.query(`UPDATE deliveries SET state = 'expired', finished_at = now()`);
    await keep(null, 30);
    expect(await names()).not.toContain('deliveries_2025_01');
  });

  it('reports that the next month is missing and cannot be created', async () => {
    await dropAhead();
    const error = jest.spyOn(log, 'error');
    const reader = await owner.pool.connect();
    try {
      await reader.query('BEGIN');
      await reader.query('SELECT FROM transfers');
      await expect(keep(null)).rejects.toThrow('lock timeout');
      expect(error).toHaveBeenCalledWith({ monthsAhead: 0 }, expect.stringContaining('next month'));
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
      error.mockRestore();
    }
    await keep(null);
    expect((await readGauges())[0]).toBe(3);
  });
});
