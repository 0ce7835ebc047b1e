import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareDatabase, openTestPool } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, migrationsFolder, readAppliedMigrations, readMigrations } from './migrate.ts';

let database: { url: string; drop: () => Promise<void> };
let folder: string;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createBareDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(migrationsFolder, folder, { recursive: true });
  pool = openTestPool(database.url);
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
  const isLater =
    /_(missed_events|failing_endpoints|in_flight_limit|listed_events|listed_events_months|listed_events_swap|plain_events_once|plain_events_once_checked|plain_events_once_swap)$/;
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
  pool = openTestPool(other.url);
  expect(await settings()).toEqual([{ overage: 'charge', spend_limit_overage: 'cap' }]);
  await pool.end();
  await other.drop();
  pool = openTestPool(database.url);
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

it.each([
  ['transfers', 'transfers_kind', 'transfers_kind_brief', '20261122213800'],
  ['events', 'events_once', 'events_once_plain', '20261122213820'],
  ['deliveries', 'deliveries_once', 'deliveries_once_plain', '20261122213840'],
])(
  'the rows of %s are checked once, also when an audit delays the swap of the constraint',
  async (table, name, next, added) => {
    const constraints = async () =>
      (
        await pool.query(
          `SELECT DISTINCT conname AS name, convalidated AS checked FROM pg_constraint
           WHERE conname IN ($1, $2) ORDER BY 1`,
          [name, next],
        )
      ).rows;
    await migrateWithout((migration) => migration.slice(0, added.length) > added);
    expect(await constraints()).toEqual([
      { name, checked: true },
      { name: next, checked: false },
    ]);
    const audit = new pg.Client({ connectionString: database.url });
    await audit.connect();
    await audit.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    const migrated = migrate(database.url);
    await until('all rows are checked', async () => (await constraints()).every(({ checked }) => checked));
    expect(await constraints()).toHaveLength(2);
    await audit.query('COMMIT');
    await audit.end();
    await migrated;
    expect(await constraints()).toEqual([{ name, checked: true }]);
  },
  60_000,
);

const listColumns = {
  executions: '(organization_id, created_at DESC, id COLLATE "POSIX" DESC)',
  events: '(organization_id, created_at, id COLLATE "POSIX")',
};

/** As the migration was at first. */
const indexAllMonths = (table: string, columns: string) => `
CREATE INDEX ${table}_listed ON ONLY ${table} ${columns};
DO $$
DECLARE
  month record;
BEGIN
  FOR month IN
    SELECT c.relname AS name FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
    WHERE p.inhparent = '${table}'::regclass ORDER BY c.relname
  LOOP
    EXECUTE format('CREATE INDEX %I ON %I ${columns}', month.name || '_listed', month.name);
    EXECUTE format('ALTER INDEX ${table}_listed ATTACH PARTITION %I', month.name || '_listed');
  END LOOP;
END $$;`;

describe('the indexes of lists', () => {
  const isListed = (name: string) => name >= '20261122182000' && name < '20261122182200';

  /** The months that have an index attached to this one, or lack it. */
  async function monthsIndexed(index: string, table: string): Promise<Record<string, boolean>> {
    const { rows } = await pool.query<{ name: string; has: boolean }>(
      `SELECT c.relname AS name, EXISTS (SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
         WHERE i.inhparent = to_regclass($1) AND x.indrelid = c.oid AND x.indisvalid) AS has
       FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid WHERE p.inhparent = $2::regclass ORDER BY 1`,
      [index, table],
    );
    return Object.fromEntries(rows.map(({ name, has }) => [name, has]));
  }

  async function expectIndexes(): Promise<void> {
    for (const [table, columns] of Object.entries(listColumns)) {
      const index = `${table}_organization_id_created_at_id_idx`;
      const { rows } = await pool.query(
        'SELECT indisvalid AS valid, pg_get_indexdef(indexrelid) AS is FROM pg_index WHERE indexrelid = to_regclass($1)',
        [index],
      );
      expect(rows).toEqual([{ valid: true, is: expect.stringContaining(columns) }]);
      expect(Object.values(await monthsIndexed(index, table))).not.toContain(false);
    }
    const applied = await readAppliedMigrations(pool);
    expect(applied).toEqual((await readMigrations()).map(({ name, checksum }) => ({ name, checksum })));
  }

  it.each(Object.keys(listColumns))(
    'of %s are made for one month at a time, and writes to the months before need not wait for the next',
    async (table) => {
      await migrateWithout(isListed);
      await pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-03-01'::date)`);
      const writer = new pg.Client({ connectionString: database.url });
      await writer.connect();
      await writer.query(`BEGIN; LOCK TABLE ${table}_2025_02 IN ROW EXCLUSIVE MODE`);
      const migrated = migrate(database.url);
      await until('the month before is indexed', async () => {
        const months = await monthsIndexed(`${table}_listed`, table);
        return months[`${table}_2025_01`] === true && months[`${table}_2025_02`] === false;
      });
      await pool.query(
        `BEGIN; LOCK TABLE ONLY ${table}, ${table}_2025_01 IN ROW EXCLUSIVE MODE NOWAIT; COMMIT`,
      );
      await writer.query('COMMIT');
      await writer.end();
      await migrated;
      await expectIndexes();
    },
    60_000,
  );

  it('stay as they are in a database where one migration made them for all months', async () => {
    for (const [table, columns] of Object.entries(listColumns)) {
      const name = `2026112218${table === 'events' ? '21' : '20'}00_listed_${table}`;
      await writeFile(join(folder, name, 'migration.sql'), indexAllMonths(table, columns));
    }
    await migrateWithout((name) => name.endsWith('_months'));
    await migrate(database.url);
    await expectIndexes();
  });
});
