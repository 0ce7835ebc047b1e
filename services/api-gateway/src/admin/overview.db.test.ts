import { recordAudit } from '@holdfast/db/audit/audit';
import { newId } from '@holdfast/domain/ids';
import { breakersKey } from '@holdfast/queues/admission';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import { createAdminApp } from '../adminApp.ts';
import { insertDelivery } from '../testing/insertDelivery.ts';
import { completedExecution, newExecution } from '../testing/newExecution.ts';
import { clientOf, gatewayOfTests, openTestGateway, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();

beforeAll(async () => {
  await emptyRedis(gateway.servers.redisUrl);
});

/** Read by a gateway of its own: a gateway reads it once for all requests within two seconds. */
async function overview(redisUrl = gateway.servers.redisUrl) {
  const reader = await openTestGateway({ ...gateway.servers, redisUrl });
  try {
    const app: Express = createAdminApp(reader.context);
    const { body } = await clientOf(app, reader.context.config.ADMIN_TOKEN)
      .get('/admin/v1/overview')
      .expect(200);
    return body;
  } finally {
    await reader.close();
  }
}

const codesOf = (body: { attention: { code: string; subject: string | null }[] }) =>
  body.attention.map(({ code, subject }) => (subject === null ? code : `${code} ${subject}`));

const run = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);

describe('the overview', () => {
  it('of a fresh installation counts nothing and asks for nothing', async () => {
    const body = await overview();
    expect(body.attention).toEqual([]);
    expect(body.executions.minutes).toHaveLength(60);
    expect(body.executions).toMatchObject({ counted_since: null, errors: [] });
    expect(body.models).toEqual([]);
    expect(body.providers.map(({ circuit }: { circuit: string }) => circuit)).toContain('closed');
    expect(body.audit).toEqual({
      finished_at: null,
      requested_at: null,
      is_consistent: null,
      invariants: [],
    });
  });

  it('counts the executions of the last hour by minute, model, provider and error', async () => {
    const { db } = gateway.context;
    const { organizationId } = await organizationWithKey(gateway, { balance: '50' });
    await completedExecution(db, { organizationId, cost: '0.1' });
    const failed = await newExecution(db, organizationId, 'reader');
    await run(
      `UPDATE executions SET status = 'FAILED', error_code = 'MODEL_OVERLOADED', completed_at = now() WHERE id = $1`,
      [failed],
    );
    await newExecution(db, organizationId);
    const old = await newExecution(db, organizationId, 'old');
    await run(`UPDATE executions SET created_at = now() - interval '2 hours' WHERE id = $1`, [old]);
    await insertDelivery(db, { organizationId, endpointId: null, state: 'failed' });
    await insertDelivery(db, { organizationId, endpointId: null, state: 'delivered' });
    const earlier = await insertDelivery(db, { organizationId, endpointId: null, state: 'failed' });
    await run(`UPDATE deliveries SET created_at = now() - interval '2 hours' WHERE id = $1`, [earlier.id]);
    const body = await overview();
    type Counts = { created: number; completed: number; failed: number };
    const sum = (name: keyof Counts) =>
      body.executions.minutes.reduce((total: number, minute: Counts) => total + minute[name], 0);
    expect([sum('created'), sum('completed'), sum('failed')]).toEqual([3, 1, 1]);
    expect(body.executions.errors).toEqual([{ code: 'MODEL_OVERLOADED', count: 1 }]);
    expect(body.models).toEqual([
      {
        model: 'writer',
        created: 2,
        completed: 1,
        failed: 0,
        cancelled: 0,
        p50_ms: expect.any(Number),
        p95_ms: expect.any(Number),
      },
      { model: 'reader', created: 1, completed: 0, failed: 1, cancelled: 0, p50_ms: null, p95_ms: null },
    ]);
    expect(body.providers).toContainEqual({
      connection: 'sandbox',
      circuit: 'closed',
      open_until: null,
      attempts: 1,
      failed: 0,
      open: 0,
      p50_ms: expect.any(Number),
    });
    expect(body.deliveries).toMatchObject({ delivered: 1, failed: 1, pending: 0, expired: 0 });
    expect(body.backlog).toContainEqual({ kind: 'pending', count: 2, oldest_s: expect.any(Number) });
  });

  it('names what needs an operator, the urgent first', async () => {
    const { db, redis, queues } = gateway.context;
    const { organizationId } = await organizationWithKey(gateway, { balance: '50' });
    const waiting = await newExecution(db, organizationId);
    await run(`UPDATE executions SET created_at = now() - interval '10 minutes' WHERE id = $1`, [waiting]);
    await run(
      `INSERT INTO webhook_endpoints (id, organization_id, url, events, secret, is_active, failing_since)
       VALUES ($1, $3, 'https://a.example', '{}', 's', true, now()), ($2, $3, 'https://b.example', '{}', 's', false, now())`,
      [newId('wh'), newId('wh'), organizationId],
    );
    await recordAudit(db, [{ invariant: 'every organization has its balance', id: 'org_1', found: 'none' }]);
    await run(`UPDATE ledger_audits SET finished_at = now() - interval '4 hours'`);
    await redis.hset(breakersKey, { gpus: Date.now() + 20_000, cpus: Date.now() - 1 });
    await queues.pause('settle');
    await completedExecution(db, { organizationId, cost: '100.00000000' });
    const body = await overview();
    expect(codesOf(body)).toEqual([
      'ledger_breach every organization has its balance',
      'queue_paused settle',
      'circuit_open gpus',
      'circuit_open cpus',
      'ledger_not_audited',
      'executions_waiting',
      'costs_in_review',
      'endpoints_deactivated',
      'endpoints_failing',
    ]);
    expect(body.backlog).toContainEqual({ kind: 'reviews', count: 1, oldest_s: expect.any(Number) });
    expect(body.audit).toMatchObject({ is_consistent: false });
    expect(body.providers).toContainEqual(expect.objectContaining({ connection: 'gpus', circuit: 'open' }));
    expect(body.providers).toContainEqual(expect.objectContaining({ connection: 'cpus', circuit: 'probed' }));
    await queues.resume('settle');
    await redis.del(breakersKey);
  });

  it('still shows what the database knows while Redis does not respond', async () => {
    const body = await overview('redis://127.0.0.1:1');
    expect(codesOf(body)).toContain('redis_unavailable');
    expect(body.queues).toBeNull();
    expect(body.providers[0].circuit).toBeNull();
    expect(body.executions.minutes).toHaveLength(60);
  });
});
