import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startExecutions } from '@holdfast/db/executions/start';
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '@holdfast/testkit/smallDisk';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, openTestGateway, organizationWithKey, type TestGateway } from '../testing/testGateway.ts';
import { applyTestModels } from '../testing/testModels.ts';

const adminToken = 'an-admin-token-for-tests';

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

async function openGateway(folder: string, settings: Record<string, string> = {}) {
  const servers = { databaseUrl: database.url, redisUrl: testRedisUrl(), folder };
  const gateway = await openTestGateway(servers, settings);
  const key = await gateway.newKey(await gateway.newOrganization());
  const post = (path: string, body: object) => gateway.client(key).post(path).send(body);
  return { gateway, post };
}

const declared = (sizeBytes: number) => ({
  filename: 'a.txt',
  content_type: 'text/plain',
  size_bytes: sizeBytes,
});

async function runningAttempt(gateway: TestGateway): Promise<{ executionId: string; callbackPath: string }> {
  const { db } = gateway.context;
  await applyTestModels(db);
  const { key } = await organizationWithKey(gateway, { balance: '10' });
  const input = { model: 'writer', input: { prompt: 'a' } };
  const { body } = await gateway.client(key).post('/v1/executions').send(input).expect(202);
  const [run] = await startExecutions(db, [{ id: body.id, connection: 'sandbox', target: 'm' }], 30);
  return { executionId: body.id, callbackPath: `/v1/callbacks/sandbox/${run?.attemptToken}` };
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

(canMountSmallDisk ? describe : describe.skip)(
  'a full disk (skipped where no file system can be mounted: only root may)',
  () => {
    const sizeBytes = 400_000;
    let disk: SmallDisk;
    let gateway: TestGateway;
    let post: Awaited<ReturnType<typeof openGateway>>['post'];
    let server: Server;
    let port: number;

    beforeAll(async () => {
      disk = mountSmallDisk(1 << 20);
      ({ gateway, post } = await openGateway(disk.path));
      await gateway.context.store.prepare();
      server = createServer(gateway.app);
      port = await listening(server);
    });

    afterAll(async () => {
      server.closeAllConnections();
      server.close();
      await gateway.close();
      disk.unmount();
    });

    function sending(url: string, headers: Record<string, string | number>) {
      const { pathname, search } = new URL(url);
      return httpRequest({ port, method: 'PUT', path: pathname + search, headers }).on('error', () => {});
    }

    it('refuses an upload with 507 before its body has ended, and accepts it when there is room', async () => {
      const logged = jest.spyOn(gateway.context.log, 'error');
      const { body } = await post('/v1/files/upload', declared(sizeBytes)).expect(201);
      disk.fill(100_000);
      const headers = { 'content-type': 'text/plain', 'content-length': sizeBytes };
      const upload = sending(body.upload_url, headers);
      // The rest of the body is never sent.
      upload.write(Buffer.alloc(sizeBytes - 1, 'a'));
      const [response] = (await once(upload, 'response')) as [IncomingMessage];
      expect([response.statusCode, response.headers['retry-after']]).toEqual([507, '60']);
      const { error } = (await json(response)) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ code: 'INSUFFICIENT_STORAGE', retryable: true });
      const [fields] = logged.mock.calls[0] ?? [];
      expect(fields).toMatchObject({ requestId: error['request_id'], err: { isFull: true } });
      expect(readdirSync(join(disk.path, '.incoming'))).toEqual([]);
      upload.destroy();
      logged.mockRestore();

      await post('/v1/files/confirm', { file_id: body.file_id }).expect(400);
      disk.empty();
      const again = sending(body.upload_url, headers);
      again.end(Buffer.alloc(sizeBytes, 'a'));
      const [taken] = (await once(again, 'response')) as [IncomingMessage];
      expect(taken.statusCode).toBe(200);
      taken.resume();
      const { body: record } = await post('/v1/files/confirm', { file_id: body.file_id }).expect(200);
      expect(record).toMatchObject({ status: 'ready', size_bytes: sizeBytes });
    });

    it('refuses a large callback with 503, which providers repeat, and keeps nothing of it', async () => {
      const { db } = gateway.context;
      const { executionId, callbackPath } = await runningAttempt(gateway);
      const { body, headers } = await request(gateway.app)
        .post(callbackPath)
        .set('Content-Type', 'application/json')
        .send('x'.repeat(9_000_000))
        .expect(503);
      expect([body.error.code, headers['retry-after']]).toEqual(['SERVICE_UNAVAILABLE', '60']);
      expect(await db.prisma.providerCallback.count()).toBe(0);
      const [file] = await db.prisma.file.findMany({ where: { executionId } });
      expect(file?.state).toBe('deleted');
      expect(readdirSync(join(disk.path, '.incoming'))).toEqual([]);
    });
  },
);

describe('an S3 server that fails', () => {
  /** Has every object, of four bytes; what it says to a PUT. */
  let storeError: { status: number; code: string };
  const server = createServer((req, res) => {
    req.resume();
    if (req.method === 'PUT') {
      res.writeHead(storeError.status, { 'content-type': 'application/xml' });
      res.end(`<Error><Code>${storeError.code}</Code><Message>no</Message></Error>`);
      return;
    }
    const headers = { 'content-length': 4, etag: '"e"', 'last-modified': new Date(0).toUTCString() };
    res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : 'text');
  });
  let gateway: TestGateway;
  let post: Awaited<ReturnType<typeof openGateway>>['post'];
  let id: string;

  beforeAll(async () => {
    const port = await listening(server);
    ({ gateway, post } = await openGateway(testFolder('files'), {
      FILE_STORE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: 'access',
      S3_SECRET_KEY: 'secret',
    }));
    id = (await post('/v1/files/upload', declared(4)).expect(201)).body.file_id;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await gateway.close();
  });

  it.each([
    [507, 'XMinioStorageFull', 507, 'INSUFFICIENT_STORAGE', '60'],
    [403, 'QuotaExceeded', 507, 'INSUFFICIENT_STORAGE', '60'],
    [503, 'SlowDown', 503, 'SERVICE_UNAVAILABLE', '2'],
    [403, 'AccessDenied', 503, 'SERVICE_UNAVAILABLE', '2'],
  ])('with %s %s makes a confirm return %s %s', async (status, code, expectedStatus, ours, retryAfter) => {
    storeError = { status, code };
    const { body, headers } = await post('/v1/files/confirm', { file_id: id }).expect(expectedStatus);
    expect(body.error).toMatchObject({ code: ours, retryable: true });
    expect(headers['retry-after']).toBe(retryAfter);
  });

  it.each([
    [507, 'XMinioStorageFull', 'with a length', '60'],
    [507, 'XMinioStorageFull', 'without a length', '60'],
    [500, 'InternalError', 'with a length', '2'],
    [500, 'InternalError', 'without a length', '2'],
  ])(
    'with %s %s refuses a large callback %s with 503 and keeps nothing',
    async (status, code, kind, retryAfter) => {
      storeError = { status, code };
      const { executionId, callbackPath } = await runningAttempt(gateway);
      const body = Buffer.alloc(9_000_000, 'x');
      const sending = request(gateway.app)
        .post(callbackPath)
        .serialize((same) => same);
      if (kind === 'with a length') sending.set('Content-Type', 'application/octet-stream').send(body);
      else sending.write(body.toString());
      const response = await sending.expect(503);
      expect(response.headers['retry-after']).toBe(retryAfter);
      await expectNothingKept(executionId);
    },
  );

  it('gets nothing of a callback that is too large, although its length is unknown until then', async () => {
    storeError = { status: 200, code: '' };
    const { executionId, callbackPath } = await runningAttempt(gateway);
    const sending = request(gateway.app).post(callbackPath);
    const mebibyte = 'x'.repeat(1_048_576);
    for (let sent = 0; sent < 129; sent++) sending.write(mebibyte);
    await sending.expect(413);
    await expectNothingKept(executionId);
  });

  async function expectNothingKept(executionId: string): Promise<void> {
    const { prisma } = gateway.context.db;
    expect(await prisma.providerCallback.count()).toBe(0);
    const files = await prisma.file.findMany({ where: { executionId } });
    expect(files.map(({ state }) => state)).toEqual(['deleted']);
  }

  it.each([
    [507, 'XMinioStorageFull', 'INSUFFICIENT_STORAGE'],
    [503, 'SlowDown', 'SERVICE_UNAVAILABLE'],
  ])("refuses an operator's upload with %s before its body has ended", async (status, code, ours) => {
    storeError = { status, code };
    const path = `/admin/v1/organizations/${await gateway.newOrganization()}/files`;
    const admin = createServer(createAdminApp(gateway.context));
    const headers = { authorization: `Bearer ${adminToken}`, 'content-length': 9_000_000 };
    const upload = httpRequest({ port: await listening(admin), method: 'POST', path, headers });
    // The rest of the body is never sent.
    upload.on('error', () => {}).write(Buffer.alloc(2_000_000));
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(status);
    expect(await json(response)).toMatchObject({ error: { code: ours, retryable: true } });
    upload.destroy();
    admin.close();
  });

  it("makes a confirm and an operator's upload return 503 that names the file store", async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    const path = `/admin/v1/organizations/${await gateway.newOrganization()}/files`;
    const sent = [
      post('/v1/files/confirm', { file_id: id }),
      clientOf(createAdminApp(gateway.context), adminToken).post(path).send('text'),
    ];
    for (const one of sent) {
      const { body } = await one.expect(503);
      expect(body.error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('file store'),
      });
    }
  });
});
