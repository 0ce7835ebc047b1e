import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareDatabase } from '@holdfast/testkit/testDatabase';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, migrationsFolder } from './migrate.ts';

let database: { url: string; drop: () => Promise<void> };
let folder: string;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createBareDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(migrationsFolder, folder, { recursive: true });
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});

afterEach(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Gives the database the schema without these migrations. */
async function migrateWithout(isLeftOut: (name: string) => boolean): Promise<void> {
  const names = (await readdir(folder)).filter(isLeftOut);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
  await migrate(database.url, folder);
}

const monthsOf = async (table: string) =>
  (await pool.query('SELECT month::text FROM month_partitions() WHERE parent = $1 ORDER BY 1', [table])).rows
    .map(({ month }) => month.slice(0, 7))
    .filter((month) => month < '2026');

/** A delivery of that day, and an attempt. */
const addDelivery = (day: string, endpointId: string | null, url: string) =>
  pool.query(
    `WITH d AS (
       INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, url, expires_at)
       SELECT delivery_id(v.id, $2), v.id, 'org_1', $2, $3, now()
       FROM (SELECT month_bound('evt', $1) || '-7000-8000-000000000001' AS id) v RETURNING id
     )
     INSERT INTO delivery_attempts (delivery_id, number) SELECT id, 1 FROM d`,
    [day, endpointId, url],
  );

it('an upgrade gives deliveries their lanes and attempts their months, and a dropped month stays dropped', async () => {
  const isLater = /_(missed_events|in_flight_limit|listed_events|listed_events_swap)$/;
  await migrateWithout((name) => name === '20261121140000_webhooks' || isLater.test(name));
  await pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-03-01'::date)`);
  await addDelivery('2025-01-01', null, 'HTTPS://Example.com:8443/hook?a');
  await addDelivery('2025-03-01', 'wh_1', 'https://example.com');
  await addDelivery('2025-02-01', 'wh_1', 'https://example.com');
  await pool.query('DROP TABLE executions_2025_02, events_2025_02, deliveries_2025_02');
  await migrate(database.url);
  const { rows } = await pool.query(
    'SELECT lane, number FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id ORDER BY d.id',
  );
  expect(rows).toEqual([
    { lane: 'org_1 https://example.com:8443', number: 1 },
    { lane: 'wh_1', number: 1 },
  ]);
  expect((await pool.query('SELECT FROM delivery_attempts')).rowCount).toBe(2);
  for (const table of ['executions', 'events', 'deliveries', 'delivery_attempts']) {
    expect([table, await monthsOf(table)]).toEqual([table, ['2025-01', '2025-03']]);
  }
});

const isOverage = (name: string) => name >= '20261122150000' && name < '20261122160000';
const settings = async () =>
  (await pool.query('SELECT overage, spend_limit_overage FROM ledger_settings')).rows;

it('an upgraded installation keeps charging above spend limits, and a new one caps there', async () => {
  await migrateWithout(isOverage);
  await pool.query(`INSERT INTO organizations (id, name, webhook_secret) VALUES ('org_1', 'Old', 'none')`);
  await migrate(database.url);
  expect(await settings()).toEqual([{ overage: 'charge', spend_limit_overage: 'charge' }]);
  const other = await createBareDatabase();
  await migrate(other.url);
  await pool.end();
  pool = new pg.Pool({ connectionString: other.url, max: 1 });
  expect(await settings()).toEqual([{ overage: 'charge', spend_limit_overage: 'cap' }]);
  await pool.end();
  await other.drop();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});

it('every month of the journal gets the index and the constraint for write-offs', async () => {
  await migrateWithout(isOverage);
  await pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-03-01'::date)`);
  await migrate(database.url);
  const { rows } = await pool.query(
    `SELECT c.relname, x.indisvalid AND x.indisunique AS holds FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
     LEFT JOIN (pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid AND i.inhparent = 'transfers_once'::regclass)
       ON x.indrelid = c.oid
     WHERE p.inhparent = 'transfers'::regclass ORDER BY 1`,
  );
  expect(rows.length).toBeGreaterThan(6);
  expect(rows.filter(({ holds }) => !holds)).toEqual([]);
  const { rows: named } = await pool.query(
    `SELECT DISTINCT conname, convalidated FROM pg_constraint WHERE conname LIKE 'transfers_kind%'`,
  );
  expect(named).toEqual([{ conname: 'transfers_kind', convalidated: true }]);
  const { rows: indexes } = await pool.query(`SELECT FROM pg_class WHERE relname = 'transfers_once_next'`);
  expect(indexes).toEqual([]);
});
