import { auditLedger } from '@holdfast/db/audit/audit';
import { describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { completedExecution } from '../testing/newExecution.ts';
import {
  clientOf,
  gatewayOfTests,
  operators,
  organizationWithKey,
  withOperators,
} from '../testing/testGateway.ts';

const gateway = await gatewayOfTests({ ...withOperators, COMPATIBLE_APIS: 'openai,replicate,fal' });
const { db } = gateway.context;
const admin = createAdminApp(gateway.context);
const operator = clientOf(admin, operators.ann);
const { organizationId, key } = await organizationWithKey(gateway, { balance: '1' });
const client = gateway.client(key);

const retired = { model: 'retired', input: {} };
const executions = `/admin/v1/organizations/${organizationId}/executions`;
const countExecutions = () => db.prisma.execution.count({ where: { organizationId } });

describe('a disabled model', () => {
  it('is run by an operator for an organization, with its estimate, hold and idempotency key', async () => {
    const { body: estimate } = await operator.post(`${executions}/estimate`).send(retired).expect(200);
    const run = () => operator.post(executions).set('Idempotency-Key', 'test run').send(retired).expect(202);
    const { body: first } = await run();
    expect(first).toMatchObject({ model: 'retired', status: 'PENDING', hold_amount: estimate.hold_amount });
    expect((await run()).body.id).toBe(first.id);
    const { body: balance } = await client.get('/v1/balance').expect(200);
    expect(balance).toMatchObject({ held: '0.012', total: '1.00' });
    const { data } = (await operator.get('/admin/v1/actions').expect(200)).body;
    expect(data[0]).toMatchObject({ actor: 'ann', organization_id: organizationId });
    expect(await auditLedger(db)).toEqual([]);
  });

  it('is run only by operators who may spend, and not where its provider is missing', async () => {
    for (const token of [operators.sam, operators.val])
      await clientOf(admin, token).post(executions).send(retired).expect(403);
    await operator.post(executions).send({ model: 'keyless', input: {} }).expect(503);
  });

  it.each([
    ['create', '/v1/executions', retired, 400],
    ['estimate', '/v1/executions/estimate', retired, 400],
    ['batch', '/v1/batches', { model: 'retired' }, 400],
    [
      "OpenAI's chat",
      '/v1/openai/chat/completions',
      { model: 'retired', messages: [{ role: 'user', content: 'a' }] },
      404,
    ],
    ["Replicate's predictions", '/v1/replicate/models/acme/retired/predictions', { input: {} }, 404],
    ["fal's queue", '/v1/fal/queue/acme/retired', {}, 404],
  ])('is unknown to a client, also after a test run: %s', async (_title, path, body, status) => {
    const before = await countExecutions();
    expect((await client.post(path).send(body)).status).toBe(status);
    expect(await countExecutions()).toBe(before);
  });

  it('is in no list of models', async () => {
    await client.get('/v1/models/retired').expect(404);
    for (const path of ['/v1/models', '/v1/openai/models', '/v1/replicate/models']) {
      const { text } = await client.get(path).expect(200);
      expect(text).toContain('writer');
      expect(text).not.toContain('retired');
    }
  });

  it('is not run again, because a rerun is no test of a model', async () => {
    const id = await completedExecution(db, { organizationId, model: 'retired', cost: '0.01' });
    await operator.post(`/admin/v1/executions/${id}/rerun`).expect(400);
  });
});
