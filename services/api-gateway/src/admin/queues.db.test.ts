import { readLastAudit, recordAudit } from '@holdfast/db/audit/audit';
import { newId } from '@holdfast/domain/ids';
import { createRegistry } from '@holdfast/kit/metrics';
import { connectWorker } from '@holdfast/queues/connection';
import { adjustQueue } from '@holdfast/queues/definitions';
import { jobMetrics, startWorker } from '@holdfast/queues/worker';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, gatewayOfTests, operators, withOperators } from '../testing/testGateway.ts';

const { ann, sam, val } = operators;

const gateway = await gatewayOfTests(withOperators);
const admin = createAdminApp(gateway.context);

beforeAll(async () => {
  await emptyRedis(gateway.servers.redisUrl);
});

const as = (token: string) => clientOf(admin, token);

async function readQueue(name: string) {
  const queues = await until('Redis responds', async () => {
    const { body } = await as(val).get('/admin/v1/queues').expect(200);
    return body.queues as { queue: string }[] | null;
  });
  return queues.find(({ queue }) => queue === name);
}

describe('a queue', () => {
  it('is paused and resumed by an admin only, however often', async () => {
    expect(await readQueue('settle')).toMatchObject({ waiting: 0, failed: 0, is_paused: false });
    const path = '/admin/v1/queues/settle/pause';
    await as(sam).put(path).expect(403);
    for (let time = 0; time < 2; time++)
      expect((await as(ann).put(path).expect(200)).body).toEqual({ is_paused: true });
    expect(await readQueue('settle')).toMatchObject({ is_paused: true });
    await as(val).delete(path).expect(403);
    for (let time = 0; time < 2; time++)
      expect((await as(ann).delete(path).expect(200)).body).toEqual({ is_paused: false });
    expect(await readQueue('settle')).toMatchObject({ is_paused: false });
    await as(ann).put('/admin/v1/queues/nothing/pause').expect(404);
    const { body } = await as(val).get('/admin/v1/actions?action=pause').expect(200);
    const actions = body.data.map(
      ({ target, status }: { target: string; status: number }) => `${target} ${status}`,
    );
    expect(actions).toEqual([
      'nothing 404',
      ...['200', '200', '403', '200', '200', '403'].map((status) => `settle ${status}`),
    ]);
  });

  it('shows its failed jobs, which support retries', async () => {
    const { config, log, adjustments } = gateway.context;
    const redis = connectWorker(config.REDIS_URL, log);
    const worker = startWorker({
      queue: adjustQueue,
      redis,
      concurrency: 1,
      log,
      metrics: jobMetrics(createRegistry('test')),
      process: () => Promise.reject(new Error('the ledger is locked')),
    });
    const request = {
      requestId: newId('req'),
      organizationId: newId('org'),
      kind: 'top_up',
      amount: '1',
      reason: null,
      idempotencyKey: 'once',
      until: new Date(),
    } as const;
    await expect(adjustments.request(request, 10_000)).rejects.toThrow('the ledger is locked');
    await worker.stop();
    redis.disconnect();
    const { body } = await as(val).get('/admin/v1/queues/adjust/failed-jobs').expect(200);
    expect(body.data).toEqual([
      { id: request.requestId, reason: 'the ledger is locked', tries: 1, failed_at: expect.any(String) },
    ]);
    await as(val).post('/admin/v1/queues/adjust/retry').expect(403);
    const retried = await as(sam).post('/admin/v1/queues/adjust/retry').expect(200);
    expect(retried.body).toEqual({ retried: 1 });
    expect(await readQueue('adjust')).toMatchObject({ waiting: 1, failed: 0 });
  });
});

describe('the audit of the ledger', () => {
  it('is requested by support, and the request ends with an audit that started after it', async () => {
    const { db } = gateway.context;
    await as(val).post('/admin/v1/ledger/audit').expect(403);
    const first = await as(sam).post('/admin/v1/ledger/audit').expect(202);
    expect(first.body).toMatchObject({ finished_at: null, requested_at: null });
    await recordAudit(db, []);
    const timeOf = async (sql: string) =>
      (await db.pool.query<{ at: string }>(`SELECT (${sql})::text AS at`)).rows[0]?.at ?? null;
    const before = await timeOf('now()');
    const { body } = await as(sam).post('/admin/v1/ledger/audit').expect(202);
    expect(body).toMatchObject({ is_consistent: true, requested_at: expect.any(String) });
    await recordAudit(db, [], before);
    expect((await readLastAudit(db))?.requestedAt).toEqual(new Date(body.requested_at));
    const justAfter = `SELECT requested_at + interval '1 microsecond' FROM ledger_audits`;
    await recordAudit(db, [], await timeOf(justAfter));
    const { body: last } = await as(val).get('/admin/v1/ledger/audit').expect(200);
    expect(last).toMatchObject({ requested_at: null, is_consistent: true });
  });
});
