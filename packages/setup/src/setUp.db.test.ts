import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@holdfast/db/apiKeys';
import { getBalance } from '@holdfast/db/balances';
import { type Database, openDatabase } from '@holdfast/db/client';
import { listOrganizations } from '@holdfast/db/organizations';
import { listPartitions } from '@holdfast/db/partitions';
import { apiKeyOf, hashApiKey } from '@holdfast/domain/apiKey';
import { servicePort } from '@holdfast/local/launch/ports';
import {
  asRole,
  createBareDatabase,
  createTestDatabase,
  rolePasswords,
} from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';
import { setUp } from './setUp.ts';

const models = join(import.meta.dirname, '../../../models');
const secret = '0123456789abcdef'.repeat(4);
const key = apiKeyOf(secret);
const patient = { forMs: 20_000, pauseMs: 50 };
const quick = { ...patient, forMs: 3000 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let environment: Record<string, string>;

// Migrating takes seconds: most tests begin with a migrated database.
beforeEach(async () => await begin(await createTestDatabase()));

async function begin(made: typeof database): Promise<void> {
  database = made;
  db = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
  environment = {
    DATABASE_URL: database.url,
    FILE_DISK_PATH: join(testFolder('files'), 'new'),
    FILE_URL_SECRET: 'a secret for the tests',
    PUBLIC_URL: 'http://gateway.test',
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    DEMO_KEY_SECRET: secret,
    SANDBOX_BASE_URL: 'http://sandbox.test',
  };
}

async function end(): Promise<void> {
  await db.close();
  await database.drop();
}

afterEach(end);

/** Begins again, with an empty database. */
async function beginBare(): Promise<void> {
  await end();
  await begin(await createBareDatabase());
}

/** The lines of a run. */
async function run(change: Record<string, string> = {}, waits = patient): Promise<string[]> {
  const said: string[] = [];
  await setUp(readConfig({ ...environment, ...change }), (line) => said.push(line), waits);
  return said;
}

async function demo() {
  const organizations = await listOrganizations(db, { limit: 10 });
  const organizationId = organizations[0]?.id ?? '';
  const keys = await listApiKeys(db, { organizationId, limit: 10 });
  const balance = await getBalance(db, organizationId);
  return { organizations: organizations.length, keys: keys.length, available: Number(balance?.available) };
}

async function demoKeyRow(): Promise<{ id: string; organizationId: string }> {
  const found = await findApiKey(db, hashApiKey(key));
  return { id: found?.apiKeyId ?? '', organizationId: found?.organizationId ?? '' };
}

describe('the setup', () => {
  it('prepares an empty database and prints a line for each step', async () => {
    await beginBare();
    const said = await run();
    expect(said.map((line) => line.split(':')[0])).toEqual([
      'migrations',
      'partitions',
      'roles',
      'overage',
      'files',
      'models',
      'demo organization',
    ]);
    expect(said[0]).toMatch(/^migrations: \d+ applied$/);
    expect(said[6]).toContain(`API      http://gateway.test\n  API key  ${key}`);
    expect(statSync(environment['FILE_DISK_PATH'] ?? '').isDirectory()).toBe(true);
    expect(await findApiKey(db, hashApiKey(key))).toMatchObject({
      isTest: false,
      models: [],
      validForMs: null,
    });
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  });

  it('changes nothing when it is run again, and prints the same key', async () => {
    const [, ...first] = await run();
    const [migrations, ...second] = await run();
    expect(migrations).toBe('migrations: up to date');
    expect(second).toEqual(first);
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  });

  it('makes the partitions of the coming months when it is run after months', async () => {
    await run();
    const ahead = (await listPartitions(db.pool)).filter(({ month }) => month > new Date().toISOString());
    for (const { name } of ahead) await db.pool.query(`DROP TABLE ${name}`);
    const [, partitions] = await run();
    expect(ahead).toHaveLength(24);
    expect(partitions).toBe('partitions: 24 made');
  });

  it('does everything once when several run at once', async () => {
    await beginBare();
    const runs = await Promise.all([run(), run(), run()]);
    expect(runs.map(([migrations]) => migrations).filter((line) => line?.endsWith('applied'))).toHaveLength(
      1,
    );
    expect(runs.every((said) => said.at(-1)?.includes(key))).toBe(true);
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  });

  it('is completed by the next run when it is killed after any step', async () => {
    await beginBare();
    for (const prefix of ['migrations', 'partitions', 'roles', 'overage', 'files', 'models', 'demo'])
      await killedAfter(prefix);
    expect((await run()).at(-1)).toContain(key);
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  }, 180_000);

  it('lets the services log in with the passwords it was given', async () => {
    const [, , roles] = await run({
      GATEWAY_DB_PASSWORD: rolePasswords.holdfast_gateway,
      DISPATCHER_DB_PASSWORD: rolePasswords.holdfast_dispatcher,
      LEDGER_DB_PASSWORD: rolePasswords.holdfast_ledger,
      WEBHOOK_SENDER_DB_PASSWORD: rolePasswords.holdfast_webhook_sender,
    });
    expect(roles).toMatch(/^roles: holdfast_gateway, .* have their rights and passwords$/);
    const url = asRole(database.url, 'holdfast_gateway');
    const asGateway = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    expect(await listOrganizations(asGateway, { limit: 10 })).toHaveLength(1);
    await asGateway.close();
  });

  it('stores overage policies in the database, and updates those that are set', async () => {
    const overage = async (change: Record<string, string> = {}) => (await run(change))[3];
    expect(await overage()).toBe('overage: charge above the balance, cap above spend limits');
    expect(await overage({ OVERAGE: 'cap', SPEND_LIMIT_OVERAGE: 'charge' })).toBe(
      'overage: cap above the balance, charge above spend limits',
    );
    expect(await overage({ OVERAGE: '' })).toBe('overage: cap above the balance, charge above spend limits');
    await expect(run({ OVERAGE: 'sometimes' })).rejects.toThrow(/OVERAGE: .*charge/);
  });

  it('makes no demo organization unless a secret for its key is set', async () => {
    const said = await run({ DEMO_KEY_SECRET: '' });
    expect(said.at(-1)).toMatch(/^demo organization: none/);
    expect(await listOrganizations(db, { limit: 10 })).toEqual([]);
  });
});

describe('a demo key', () => {
  it('that was revoked stays revoked, and the message says how to get another', async () => {
    await run();
    const { id, organizationId } = await demoKeyRow();
    await revokeApiKey(db, organizationId, id);
    const line = (await run()).at(-1);
    expect(line).toContain('was revoked or rotated');
    expect(line).toContain(`POST /admin/v1/organizations/${organizationId}/api-keys`);
    expect(line).not.toContain(key);
    expect(await findApiKey(db, hashApiKey(key))).toBeNull();
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  });

  it('that was rotated is not printed any more, and not created again once its value has expired', async () => {
    await run();
    const owner = await demoKeyRow();
    await rotateApiKey(db, { ...owner, hash: 'another', prefix: 'sk_another' });
    expect((await run()).at(-1)).toContain('was revoked or rotated');
    await db.prisma.apiKeyValue.delete({ where: { hash: hashApiKey(key) } });
    expect((await run()).at(-1)).toContain('was revoked or rotated');
    expect(await demo()).toEqual({ organizations: 1, keys: 1, available: 100 });
  });
});

describe('the catalogue', () => {
  it('offers the models with a connection, and withdraws those without a file', async () => {
    const folder = testFolder('models');
    cpSync(models, folder, { recursive: true });
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml')).length;
    const [, known, offered] =
      /^models: (\d+), offered (\d+)$/.exec((await run({ MODELS_DIR: folder }))[5] ?? '') ?? [];
    expect(Number(known)).toBe(files);
    expect(Number(offered)).toBeGreaterThan(0);
    expect(Number(offered)).toBeLessThan(files);
    rmSync(join(folder, 'sandbox-text.yaml'));
    expect((await run({ MODELS_DIR: folder }))[5]).toMatch(/, withdrawn: sandbox-text$/);
    expect((await run({ MODELS_DIR: folder }))[5]).not.toContain('withdrawn');
  });

  it('is not emptied by a folder without models', async () => {
    await expect(run({ MODELS_DIR: testFolder('models') })).rejects.toThrow(/^models: there is no model in/);
  });
});

describe('a server that is unavailable', () => {
  it('is retried, and then named in the error', async () => {
    const said: string[] = [];
    const url = `postgresql://owner:hidden@127.0.0.1:${await servicePort()}/holdfast`;
    const config = readConfig({ ...environment, DATABASE_URL: url });
    const failing = setUp(config, (line) => said.push(line), quick);
    await expect(failing).rejects.toThrow(/^database: PostgreSQL is not available after 3 s: .*ECONNREFUSED/);
    expect(said).toEqual([expect.stringMatching(/^waiting up to 3 s for PostgreSQL: .*ECONNREFUSED/)]);
    expect(said.join()).not.toContain('hidden');
  });

  it('is reported at once when it refuses the connection settings', async () => {
    const url = database.url.replace(/[^/]+$/, 'no_such_database');
    await expect(run({ DATABASE_URL: url })).rejects.toThrow(
      /^database: .*no_such_database.* does not exist$/,
    );
  });

  it('may be the store, and then the later steps are not run', async () => {
    const s3 = { S3_ENDPOINT: `http://127.0.0.1:${await servicePort()}`, S3_BUCKET: 'files' };
    const store = { FILE_STORE: 's3', ...s3, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'hidden' };
    const failing = run(store, quick);
    await expect(failing).rejects.toThrow(/^files: bucket files is not available after 3 s: .*ECONNREFUSED/);
    expect(await listOrganizations(db, { limit: 10 })).toEqual([]);
  });
});

describe('the program', () => {
  it('ends with exit code 1 and the reason', async () => {
    const child = start({ PUBLIC_URL: '' });
    const said: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(Buffer.concat(said).toString()).toMatch(/^setup: .*\n  PUBLIC_URL is not set: .*\n$/);
  });
});

function start(change: Record<string, string>) {
  const main = join(import.meta.dirname, 'main.ts');
  const env = { ...environment, ...change };
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs the program and kills it when it has said a line that begins so. */
async function killedAfter(prefix: string): Promise<void> {
  const child = start({});
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith(prefix)) break;
  }
  child.kill('SIGKILL');
  await closed;
  expect(lines.at(-1)?.startsWith(prefix)).toBe(true);
}
