import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditLedger } from '@holdfast/db/audit/audit';
import { backupTables } from '@holdfast/db/backup/tables';
import { type Database, openDatabase } from '@holdfast/db/client';
import { listPartitions } from '@holdfast/db/partitions';
import { createDiskStore } from '@holdfast/files/disk/diskStore';
import { createSealedBox, encryptionKeys } from '@holdfast/kit/sealedBox';
import { createCustomer, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, createBareDatabase, createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast, holdfastHere } from '../testing/holdfast.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const keys = newKey('k1');
const fileBytes = Buffer.from('the bytes of a file');
const gone: (() => Promise<unknown>)[] = [];

/** What the services have set; each call is another store. */
function storeEnvironment() {
  const path = testFolder('store');
  const env = {
    FILE_STORE: 'disk',
    FILE_DISK_PATH: path,
    FILE_URL_SECRET: 'a secret for tests',
    PUBLIC_URL: 'http://a',
  };
  return { env, store: createDiskStore({ path, urlSecrets: ['a secret for tests'], publicUrl: 'http://a' }) };
}

async function openTest(made: { url: string; drop: () => Promise<void> }) {
  const db = openDatabase({ url: made.url, poolSize: 2, applicationName: 'test' });
  return {
    url: made.url,
    db,
    async close() {
      await db.close();
      await made.drop();
    },
  };
}

let folder: string;
let source: Awaited<ReturnType<typeof openTest>>;
let organizationId: string;

beforeAll(async () => {
  source = await openTest(await createTestDatabase());
  gone.push(source.close);
  const { db } = source;
  const box = createSealedBox(encryptionKeys.parse(keys));
  ({ organizationId } = await createCustomer({ db, box, baseUrl: 'http://a', balance: '12.34' }));
  await db.pool.query(`SELECT make_partitions('2024-03-01'::date, '2024-04-01'::date)`);
  await db.pool.query('DROP TABLE executions_2024_03, events_2024_03');
  await insertTestExecution(db, { organizationId, onCancel: 'charge' });
  await addDelivery(db, 'young', '10 minutes');
  await addDelivery(db, 'old', '2 hours');
  await addFile(db, 'file_there');
  await addFile(db, 'file_lost');
  const { env, store } = storeEnvironment();
  await store.prepare();
  await store.put('file_there.sealed', fileBytes, { contentType: 'text/plain' });
  folder = join(testFolder('backup'), 'made');
  const { code, stdout, stderr } = await holdfastHere(['backup', folder], {
    ...env,
    DATABASE_URL: source.url,
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining('files: 1, 19 bytes')]);
  expect(stdout).toContain('NOT INCLUDED: ENCRYPTION_KEYS (k1)');
  expect(stdout).toContain('1 files are not in the store');
});
afterAll(async () => {
  for (const close of gone) await close();
});

function writeManifest(into: string, manifest: object): void {
  const text = JSON.stringify(manifest);
  writeFileSync(join(into, 'manifest.json'), text);
  const sum = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(into, 'manifest.json.sha256'), `${sum}  manifest.json\n`);
}

async function addDelivery(db: Database, url: string, age: string): Promise<void> {
  await db.pool.query(
    `WITH event AS (
       INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
       VALUES (new_id('evt'), $1, 'wh_1', 'endpoint.failing', E'\\\\ "body"\\t\\n', now()) RETURNING id
     )
     INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, created_at, expires_at)
     SELECT delivery_id(id, 'wh_1'), id, $1, 'wh_1', 'wh_1', $2, now() - $3::interval, now() + interval '1 day' FROM event`,
    [organizationId, url, age],
  );
}

async function addFile(db: Database, id: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO files (id, organization_id, origin, state, filename, content_type, size_bytes, object_key)
     VALUES ($1, $2, 'upload', 'ready', 'a.txt', 'text/plain', $3, $1 || '.sealed')`,
    [id, organizationId, fileBytes.length],
  );
}

/** Every row of a table as text, in order. */
async function rowsOf(db: Database, table: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
  return rows.map(({ row }) => row);
}

let target: Awaited<ReturnType<typeof openTest>>;
let there: ReturnType<typeof storeEnvironment>;
beforeEach(async () => {
  target = await openTest(await createTestDatabase());
  there = storeEnvironment();
});
afterEach(() => target.close());

const restore = (from: string, args: string[] = [], env: Record<string, string> = {}) =>
  holdfastHere(['restore', from, ...args], {
    ...there.env,
    DATABASE_URL: target.url,
    ENCRYPTION_KEYS: keys,
    ...env,
  });

/** Refused with these words, and nothing of it is in the database or the store. */
async function expectRefused(ended: ReturnType<typeof restore>, words: string | RegExp): Promise<void> {
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  expect(await rowsOf(target.db, 'organizations')).toEqual([]);
  expect(await there.store.stat('file_there.sealed')).toBeNull();
}

describe('a backup', () => {
  it('has every table of the database except the results of the last audit', async () => {
    const { rows } = await source.db.pool.query<{ name: string }>(`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`);
    const others = ['_prisma_migrations', 'ledger_audits'];
    expect([...backupTables, ...others].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it('needs no sequences, because the database has none', async () => {
    expect((await source.db.pool.query(`SELECT FROM pg_class WHERE relkind = 'S'`)).rowCount).toBe(0);
  });

  it('is not written into a folder that is not empty', async () => {
    const env = { ...there.env, DATABASE_URL: source.url };
    const { code, stderr } = await holdfastHere(['backup', folder], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not empty')]);
  });

  it('of a database without tables is refused', async () => {
    const bare = await createBareDatabase();
    gone.push(bare.drop);
    const made = join(testFolder('backup'), 'bare');
    const { code, stderr } = await holdfastHere(['backup', made], { ...there.env, DATABASE_URL: bare.url });
    expect([code, stderr]).toEqual([1, expect.stringContaining('migrate it first')]);
    expect(existsSync(join(made, 'manifest.json'))).toBe(false);
  });
});

describe('a restore', () => {
  it('migrates a database without tables itself, brings back every row unchanged, with months and balances, and the audit finds nothing', async () => {
    await target.close();
    target = await openTest(await createBareDatabase());
    expect(await restore(folder, ['--webhooks-within', '600'])).toEqual({
      code: 0,
      stdout: expect.stringContaining('The ledger is consistent.'),
      stderr: expect.stringContaining('migrations applied'),
    });
    for (const table of backupTables.filter((name) => name !== 'files'))
      expect([table, await rowsOf(target.db, table)]).toEqual([table, await rowsOf(source.db, table)]);
    const partitions = async (db: Database) => (await listPartitions(db.pool)).map(({ name }) => name);
    expect(await partitions(target.db)).toEqual(await partitions(source.db));
    expect(await auditLedger(target.db)).toEqual([]);
  });

  it('stores files under their keys, expires what has no bytes or waited for over an hour, and leaves a journal that goes on', async () => {
    const { stdout } = await restore(folder);
    expect(await there.store.readHead('file_there.sealed', 100)).toEqual(fileBytes);
    const { rows: files } = await target.db.pool.query('SELECT id FROM files WHERE expires_at <= now()');
    expect(files).toEqual([{ id: 'file_lost' }]);
    expect(stdout).toContain('1 deliveries were pending for more than 60 minutes');
    const { rows: all } = await target.db.pool.query('SELECT url, state FROM deliveries ORDER BY url');
    expect(all).toEqual([
      { url: 'old', state: 'expired' },
      { url: 'young', state: 'pending' },
    ]);
    const add = `INSERT INTO transfers (organization_id, sequence, kind, debit_account, credit_account, amount,
      available_after, held_after) VALUES ($1, $2, 'top_up', 'funding', 'available', 1, 12.74, 0.6)`;
    await expect(target.db.pool.query(add, [organizationId, 2])).rejects.toThrow('do not follow');
    await target.db.pool.query(add, [organizationId, 3]);
    expect(await auditLedger(target.db)).toEqual([]);
  });

  it('reads the whole backup with --check, and then needs no database', async () => {
    expect(await holdfastHere(['restore', folder, '--check'])).toMatchObject({
      code: 0,
      stdout: `${folder} is intact.\n`,
    });
  });

  it('of a backup without files does not touch the store', async () => {
    const made = join(testFolder('backup'), 'rows');
    const env = { DATABASE_URL: source.url };
    expect(await holdfastHere(['backup', made, '--without-files'], env)).toMatchObject({ code: 0 });
    expect(readdirSync(made).toSorted()).toEqual(['database', 'manifest.json', 'manifest.json.sha256']);
    expect(await restore(made)).toMatchObject({ code: 0, stdout: expect.stringContaining('has no files') });
  });
});

describe('a restore is refused', () => {
  it('if the backup is of another version, and a database without tables stays as it was', async () => {
    await target.close();
    target = await openTest(await createBareDatabase());
    const other = join(testFolder('backup'), 'other');
    cpSync(folder, other, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8'));
    manifest.migrations.pop();
    writeManifest(other, manifest);
    expect(await restore(other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('of an older version of Holdfast, before 2'),
    });
    manifest.migrations.push({ name: '20990101000000_later', checksum: 'c' });
    writeManifest(other, manifest);
    expect(await restore(other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this one has no 20990101000000_later'),
    });
    const { rows } = await target.db.pool.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`);
    expect(rows).toEqual([]);
  });

  it('if the store accepts no files, with the reason, and nothing is restored', async () => {
    const env = { FILE_STORE: 'disk', FILE_DISK_PATH: '/dev/null/files' };
    const { code, stderr } = await holdfast(['restore', folder], {
      ...env,
      DATABASE_URL: target.url,
      ENCRYPTION_KEYS: keys,
    });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('copying the files, from or to the store: ENOTDIR'),
    ]);
    expect(await rowsOf(target.db, 'balances')).toEqual([]);
  });

  it('if settings of the store are missing, by name; a key for signing is not needed', async () => {
    const env = { DATABASE_URL: target.url, ENCRYPTION_KEYS: keys };
    const { code, stderr } = await holdfastHere(['restore', folder], env);
    expect(code).toBe(3);
    expect(stderr).toContain('FILE_DISK_PATH is not set');
    expect(stderr).not.toMatch(/FILE_URL_SECRET|PUBLIC_URL/);
  });

  it('if the database is not empty', async () => {
    await target.db.pool.query(`INSERT INTO api_keys (id, organization_id, name, permissions, prefix)
      VALUES ('key_1', 'org_1', 'n', 'full', 'p')`);
    await expectRefused(restore(folder), /the database is not empty: there are api_keys\./);
  });

  it('while a service is connected', async () => {
    const gateway = openDatabase({
      url: asRole(target.url, 'holdfast_gateway'),
      poolSize: 1,
      applicationName: 'api-gateway',
    });
    await gateway.pool.query('SELECT');
    await expectRefused(restore(folder), /services are connected to the database: .*Stop them all first/);
    await gateway.close();
  });

  it('if the database has other migrations', async () => {
    await target.db.pool.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('x', 'x', '20991231000000_later', now())`);
    await expectRefused(restore(folder), /another schema: .* the database's 20991231000000_later/);
  });

  it.each([
    ['lack the key', newKey('k2'), /sealed with k1, which ENCRYPTION_KEYS does not have/],
    [
      'have another key under its id',
      newKey('k1'),
      /organizations.webhook_secret of org_\S+ can't be opened/,
    ],
  ])('when ENCRYPTION_KEYS %s, unless that is ignored', async (_case, others, words) => {
    await expectRefused(restore(folder, [], { ENCRYPTION_KEYS: others }), words);
    const ignoring = restore(folder, ['--ignore-keys'], { ENCRYPTION_KEYS: others });
    expect(await ignoring).toMatchObject({ code: 0 });
  });

  it('if the number of minutes is invalid', async () => {
    expect(await restore(folder, ['--webhooks-within', 'soon'])).toMatchObject({ code: 2 });
  });
});

describe('a damaged backup is refused', () => {
  const copied = () => {
    const copy = testFolder('damaged');
    cpSync(folder, copy, { recursive: true });
    return copy;
  };
  const theFile = () => {
    const [spread = ''] = readdirSync(join(folder, 'files'));
    return join('files', spread, 'file_there.sealed');
  };
  const parts: [string, () => string][] = [
    ['a table', () => 'database/transfers.copy.gz'],
    ['a file', theFile],
    ['the list of files', () => 'files.jsonl'],
    ['the manifest', () => 'manifest.json'],
  ];

  it.each(parts)('when a byte of %s was changed', async (_name, part) => {
    const damaged = copied();
    const path = join(damaged, part());
    const bytes = readFileSync(path);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await expectRefused(
      restore(damaged),
      `the backup is damaged: ${part()} has changed since it was written`,
    );
  });

  it.each(parts)('when %s is missing', async (_name, part) => {
    const damaged = copied();
    rmSync(join(damaged, part()));
    await expectRefused(restore(damaged), `${part()} is missing`);
  });

  it('when it was cut short', async () => {
    const damaged = copied();
    const path = join(damaged, 'database/balances.copy.gz');
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    await expectRefused(restore(damaged), /balances.copy.gz has \d+ bytes instead of \d+/);
  });

  it('when the backup was interrupted', async () => {
    const damaged = copied();
    for (const name of ['manifest.json', 'manifest.json.sha256']) rmSync(join(damaged, name));
    await expectRefused(restore(damaged), /is not a complete backup: .* Use another/);
  });
});
