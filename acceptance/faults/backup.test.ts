import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { holdfast } from '@holdfast/cli/testing/holdfast';
import { auditLedger } from '@holdfast/db/audit/audit';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import type { Customer } from '@holdfast/testkit/testData';
import type { ServiceName } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  create,
  type ExecutionBody,
  eventsOf,
  readExecution,
  untilEvent,
  untilStatus,
} from '../stack/executions.ts';
import { type Stack, startStack } from '../stack/stack.ts';

const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const serviceNames: ServiceName[] = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];
/** Still under way when the backup takes its snapshot. */
const slowly = 15_000;

let lost: Stack;
let found: Stack;
let customer: Customer;
let busy: Customer;
/** The customers at the system that was restored. */
let api: ApiClient;
let busyApi: ApiClient;
const folder = join(testFolder('backup'), 'made');

/** Executions by their status at the backup, with their status records. */
const ids: Record<string, string> = {};
const records = new Map<string, ExecutionBody>();
let imageFile = '';
let uploadedFile = '';
let image: Buffer;
let backupSaid = '';
const load: { id: string; key: string }[] = [];

const completions = (id: string) =>
  eventsOf(lost.receiver, id).filter(({ type }) => type === 'execution.completed').length;

async function stopServices(stack: Stack): Promise<void> {
  for (const name of serviceNames) await stack.services.stop(name);
}

async function downloaded(from: ApiClient, file: string): Promise<Buffer> {
  const response = await from.fetch(`/v1/files/${file}/download`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function upload(bytes: Buffer): Promise<string> {
  const terms = { filename: 'image.png', content_type: 'image/png', size_bytes: bytes.length };
  const { body } = await customer.api.post('/v1/files/upload', terms);
  const headers = { 'content-type': 'image/png' };
  const put = { method: 'PUT', headers, body: new Uint8Array(bytes) };
  expect((await fetch(body['upload_url'] as string, put)).status).toBe(200);
  const file = body['file_id'] as string;
  expect((await customer.api.post('/v1/files/confirm', { file_id: file })).status).toBe(200);
  return file;
}

const text = (input: Record<string, unknown> = {}, by = customer.api) =>
  create(by, 'sandbox-text', { prompt: 'x', ...input });

/** One execution of each end, and files. */
async function makeEndings(): Promise<void> {
  ids['EXPIRED'] = await create(
    customer.api,
    'sandbox-text',
    { prompt: 'x', delay_ms: 600_000, mode: 'callback' },
    { timeout_seconds: 10 },
  );
  ids['COMPLETED'] = await text();
  ids['FAILED'] = await text({ fail: 'GENERATION_FAILED' });
  ids['CANCELLED'] = await text({ delay_ms: 600_000, mode: 'callback' });
  ids['erased'] = await text();
  ids['image'] = await create(customer.api, 'sandbox-image', { prompt: 'a', width: 64, height: 64 });
  await untilStatus(customer.api, ids['CANCELLED'], 'AWAITING_WEBHOOK');
  await customer.api.post(`/v1/executions/${ids['CANCELLED']}/cancel`);
  await untilEvent(lost.receiver, ids['erased'], 'execution.completed');
  await customer.api.fetch(`/v1/executions/${ids['erased']}`, { method: 'DELETE' });
  const { result } = await untilStatus(customer.api, ids['image'], 'COMPLETED');
  imageFile = (result as { images: [{ file_id: string }] }).images[0].file_id;
  image = await downloaded(customer.api, imageFile);
  uploadedFile = await upload(image);
  for (const status of ['FAILED', 'EXPIRED']) await untilStatus(customer.api, ids[status] ?? '', status);
  for (const done of ['COMPLETED', 'image'])
    await untilEvent(lost.receiver, ids[done] ?? '', 'execution.completed');
}

/** Creates ended executions with pending webhooks, and executions that are pending, run, or await a webhook. */
async function makePending(): Promise<void> {
  await lost.services.stop('webhook-sender');
  ids['undelivered'] = await text();
  await untilStatus(customer.api, ids['undelivered'], 'COMPLETED');
  for (const name of Object.keys(ids)) records.set(name, await readExecution(customer.api, ids[name] ?? ''));
  ids['PROCESSING'] = await text({ delay_ms: slowly, mode: 'sync' }, busy.api);
  await untilStatus(busy.api, ids['PROCESSING'], 'PROCESSING');
  ids['PENDING'] = await text({}, busy.api);
  ids['AWAITING_WEBHOOK'] = await text({ delay_ms: slowly, mode: 'callback' });
  await untilStatus(customer.api, ids['AWAITING_WEBHOOK'], 'AWAITING_WEBHOOK');
}

async function createOne(at: ApiClient, key: string): Promise<string> {
  const body = { model: 'sandbox-text', input: { prompt: key } };
  const reply = await at.post('/v1/executions', body, { 'idempotency-key': key });
  expect(reply.status).toBe(202);
  return reply.body['id'] as string;
}

/** Creates executions from before the backup until after it. */
async function backUpUnderLoad(env: Record<string, string>): Promise<void> {
  const over = new AbortController();
  const createAll = async () => {
    while (!over.signal.aborted) {
      const key = `load-${load.length}`;
      load.push({ id: await createOne(customer.api, key), key });
    }
  };
  const creating = createAll();
  const { code, stdout, stderr } = await holdfast(['backup', folder], env);
  backupSaid = `${stdout}${stderr}`;
  load.push({ id: await createOne(customer.api, 'afterwards'), key: 'afterwards' });
  over.abort();
  await creating;
  expect([code, stderr]).toEqual([0, expect.stringContaining('files: 2,')]);
}

beforeAll(async () => {
  const store = { FILE_DISK_PATH: testFolder('files'), FILE_URL_SECRET: 'a secret for the tests' };
  lost = await startStack({ ENCRYPTION_KEYS, ...store });
  customer = await lost.newCustomer('50');
  busy = await lost.newCustomer('10');
  await lost.db.pool.query('UPDATE organizations SET max_concurrency = 1 WHERE id = $1', [
    busy.organizationId,
  ]);
  await lost.admin.fetch(`/admin/v1/organizations/${customer.organizationId}/spend-limit`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '40' }),
  });
  for (const one of [customer, busy])
    await one.api.post('/v1/webhooks/endpoints', { url: lost.receiver.url });
  await makeEndings();
  await makePending();
  await backUpUnderLoad({ ...store, DATABASE_URL: lost.databaseUrl, PUBLIC_URL: lost.baseUrl });
  await stopServices(lost);

  const other = { ...store, FILE_DISK_PATH: testFolder('files') };
  found = await startStack({ ENCRYPTION_KEYS, SANDBOX_BASE_URL: lost.sandboxUrl, ...other });
  await stopServices(found);
  const env = { ...other, ENCRYPTION_KEYS, DATABASE_URL: found.databaseUrl, PUBLIC_URL: found.baseUrl };
  const restored = await holdfast(['restore', folder], env);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('The ledger is consistent.') });
  for (const name of serviceNames) await found.services.start(name);
  api = apiClient(found.baseUrl, customer.apiKey);
  busyApi = apiClient(found.baseUrl, busy.apiKey);
}, 120_000);

afterAll(async () => {
  await found.close();
  await lost.close();
});

/** Lets the two minutes pass for which a callback is awaited that went to the lost system. */
async function stopAwaitingCallback(executionId: string): Promise<void> {
  const where = { executionId, finishedAt: null };
  const handle = await until('the container no longer knows the run', async () => {
    const attempt = await found.db.prisma.attempt.findFirst({ where });
    const known = attempt?.handle as Record<string, string> | undefined;
    return known?.['missingSince'] === undefined ? null : known;
  });
  const missingSince = String(Date.now() - 180_000);
  await found.db.prisma.attempt.updateMany({
    where,
    data: { pollAt: new Date(0), handle: { ...handle, missingSince } },
  });
}

/** Another gateway serves a restored execution, at another URL. */
function withoutUrls({ error, ...execution }: ExecutionBody): object {
  return { ...execution, urls: null, error: error && { ...error, doc_url: null } };
}

describe('a system that was restored from a backup made under load', () => {
  it('contains every ended execution unchanged', async () => {
    for (const [name, record] of records) {
      const restored = await readExecution(api, ids[name] ?? '');
      expect(withoutUrls(restored)).toEqual(withoutUrls(record));
    }
    expect((await api.get(`/v1/executions/${ids['erased']}/result`)).status).toBe(410);
  });

  it('contains the files byte for byte', async () => {
    for (const file of [imageFile, uploadedFile])
      expect((await downloaded(api, file)).equals(image)).toBe(true);
  });

  it('completes the executions that were pending, running or awaiting a callback', async () => {
    await stopAwaitingCallback(ids['AWAITING_WEBHOOK'] ?? '');
    await Promise.all([
      untilStatus(busyApi, ids['PROCESSING'] ?? '', 'COMPLETED'),
      untilStatus(busyApi, ids['PENDING'] ?? '', 'COMPLETED'),
      untilStatus(api, ids['AWAITING_WEBHOOK'] ?? '', 'COMPLETED'),
    ]);
  });

  it('knows every execution of the load that was accepted before the backup, and clients repeat the others by their keys', async () => {
    const statuses = await Promise.all(load.map(({ id }) => api.get(`/v1/executions/${id}`)));
    const kept = load.filter((_one, index) => statuses[index]?.status === 200);
    const gone = load.filter((_one, index) => statuses[index]?.status === 404);
    expect(kept.length + gone.length).toBe(load.length);
    expect(gone.map(({ key }) => key)).toContain('afterwards');
    expect(kept.length).toBeGreaterThan(0);
    for (const { id, key } of kept.slice(-1)) expect(await createOne(api, key)).toBe(id);
    for (const { id, key } of gone.slice(-1)) {
      const again = await createOne(api, key);
      expect(again).not.toBe(id);
      await untilStatus(api, again, 'COMPLETED');
    }
    for (const { id } of kept) await untilStatus(api, id, 'COMPLETED');
  });

  it('delivers the pending webhooks once, and repeats no others', async () => {
    for (const name of ['undelivered', 'PROCESSING', 'PENDING', 'AWAITING_WEBHOOK'])
      await untilEvent(lost.receiver, ids[name] ?? '', 'execution.completed');
    for (const name of ['COMPLETED', 'image', 'undelivered', 'PROCESSING', 'PENDING', 'AWAITING_WEBHOOK'])
      expect([name, completions(ids[name] ?? '')]).toEqual([name, 1]);
  });

  it('has a correct ledger, also after all executions have ended, and its limits still apply', async () => {
    await until('all has ended', async () => {
      const { rows } = await found.db.pool.query('SELECT FROM executions WHERE completed_at IS NULL');
      return rows.length === 0;
    });
    expect(await auditLedger(found.db)).toEqual([]);
    const { rows } = await found.db.pool.query('SELECT FROM spend_limits WHERE spent > 0');
    expect(rows).toHaveLength(1);
  });

  it('has a log that names what the backup does not contain', () => {
    expect(backupSaid).toContain('NOT INCLUDED: ENCRYPTION_KEYS (k1)');
    expect(backupSaid).not.toContain(ENCRYPTION_KEYS.split(':')[1]);
  });
});
