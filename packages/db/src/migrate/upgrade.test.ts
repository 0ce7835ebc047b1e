import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareDatabase } from '@holdfast/testkit/testDatabase';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from './migrate.ts';
import { migrationsFolder } from './migrationFiles.ts';

let database: { url: string; drop: () => Promise<void> };
let folder: string;
let pool: pg.Pool;

/** As it was before deliveries had lanes. */
beforeEach(async () => {
  database = await createBareDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(migrationsFolder, folder, { recursive: true });
  await rm(join(folder, '20261121140000_webhooks'), { recursive: true });
  await migrate(database.url, folder);
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});

afterEach(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

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

it('deliveries get lanes, their attempts months, and a month that was dropped stays dropped', async () => {
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
