import { describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../../adminApp.ts';
import { completedExecution, newExecution } from '../../testing/newExecution.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { db } = gateway.context;
const admin = clientOf(createAdminApp(gateway.context), gateway.context.config.ADMIN_TOKEN);

const organization = () => organizationWithKey(gateway, { balance: '1000' });
const bulk = (what: 'cancel' | 'rerun', key: string, body: object, idempotencyKey?: string) => {
  const sent = gateway.client(key).post(`/v1/executions/bulk-${what}`).send(body);
  return idempotencyKey === undefined ? sent : sent.set('Idempotency-Key', idempotencyKey);
};
const statusOf = async (id: string) => (await db.prisma.execution.findUnique({ where: { id } }))?.status;
const balanceOf = async (organizationId: string) => {
  const balance = await db.prisma.balance.findUnique({ where: { organizationId } });
  return [Number(balance?.available), Number(balance?.held)];
};
const create = async (key: string, body: object = {}): Promise<string> => {
  const asked = { model: 'painter', input: { prompt: 'a', images: 1 }, ...body };
  return (await gateway.client(key).post('/v1/executions').send(asked).expect(202)).body.id;
};
async function ended(key: string, body: object = {}): Promise<string> {
  const id = await create(key, body);
  await gateway.client(key).post(`/v1/executions/${id}/cancel`).expect(200);
  return id;
}

describe('requests about many executions', () => {
  it.each([
    ['without a field', { filter: {} }],
    ['without a filter', {}],
    ['with a status that it cannot change', { filter: { status: ['EXPIRING'] } }],
    ['with the id of something else', { filter: { ids: ['bat_1'] } }],
  ])('are refused %s', async (_what, body) => {
    const { key } = await organization();
    await bulk('cancel', key, body).expect(400);
    await bulk('rerun', key, body, 'once').expect(400);
  });

  it('only count what matches in a dry run, in all of the organization and in no other', async () => {
    const { organizationId, key } = await organization();
    const other = await organization();
    const ids = [await newExecution(db, organizationId), await newExecution(db, organizationId, 'reader')];
    await completedExecution(db, { organizationId, cost: '0.1' });
    const theirs = await newExecution(db, other.organizationId);
    const counted = async (filter: object) =>
      (await bulk('cancel', key, { filter, dry_run: true }).expect(200)).body.matched;
    expect(await counted({ model: 'reader' })).toBe(1);
    expect(await counted({ created_after: '2020-01-01' })).toBe(2);
    expect(await counted({ created_before: '2020-01-01' })).toBe(0);
    expect(await counted({ ids: [...ids, theirs] })).toBe(2);
    const { body } = await bulk('rerun', key, { filter: { model: 'writer' }, dry_run: true }).expect(200);
    expect(body).toMatchObject({ matched: 1, created: 0, has_more: false });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['PENDING', 'PENDING']);
  });
});

describe('POST /v1/executions/bulk-cancel', () => {
  it('cancels what matches and returns its holds, page by page, and twice is once', async () => {
    const { organizationId, key } = await organization();
    const completed = await completedExecution(db, { organizationId, cost: '0.1' });
    const kept = await newExecution(db, organizationId, 'reader');
    const ids = await Promise.all(Array.from({ length: 257 }, () => newExecution(db, organizationId)));
    await gateway.client(key).post(`/v1/executions/${ids[0]}/cancel`).expect(200);
    const filter = { model: 'writer' };
    const first = await bulk('cancel', key, { filter }).expect(200);
    expect(first.body).toMatchObject({ matched: 256, cancelled: 256, has_more: true });
    const again = await bulk('cancel', key, { filter }).expect(200);
    expect(again.body).toEqual({ matched: 0, cancelled: 0, has_more: false, next_cursor: null });
    expect(new Set(await Promise.all(ids.map(statusOf)))).toEqual(new Set(['CANCELLED']));
    expect([await statusOf(completed), await statusOf(kept)]).toEqual(['COMPLETED', 'PENDING']);
    expect((await balanceOf(organizationId))[1]).toBe(0.6);
  });

  it('reaches only executions of the models that its key may use', async () => {
    const { organizationId } = await organization();
    const id = await newExecution(db, organizationId);
    const bound = await gateway
      .client(await gateway.newKey(organizationId))
      .post('/v1/api-keys')
      .send({ name: 'bound', scopes: ['executions:write'], models: ['painter'] })
      .expect(201);
    const { body } = await bulk('cancel', bound.body.key, { filter: { ids: [id] } }).expect(200);
    expect([body.matched, await statusOf(id)]).toEqual([0, 'PENDING']);
  });
});

describe('POST /v1/executions/bulk-rerun', () => {
  it('creates one execution of each original by one key, however often it is sent', async () => {
    const { organizationId, key } = await organization();
    const metadata = { order: 'A-17' };
    const originals = [await ended(key, { metadata, priority: 'high' }), await ended(key)];
    const body = { filter: { model: 'painter' } };
    const first = await bulk('rerun', key, body, 'the call').expect(200);
    expect(first.body).toMatchObject({ matched: 2, created: 2, replayed: 0, skipped: [], has_more: false });
    const reruns: { id: string; rerun_of: string }[] = first.body.executions;
    expect(reruns.map((one) => one.rerun_of)).toEqual(originals.toReversed());
    // What it created ends, and matches from now on.
    for (const { id } of reruns) await gateway.client(key).post(`/v1/executions/${id}/cancel`).expect(200);
    const second = await bulk('rerun', key, body, 'the call').expect(200);
    expect(second.body).toMatchObject({ matched: 2, created: 0, replayed: 2, executions: reruns });
    expect(await db.prisma.execution.count({ where: { organizationId } })).toBe(4);
    const rerun = await db.prisma.execution.findUnique({ where: { id: reruns.at(-1)?.id ?? '' } });
    expect(rerun).toMatchObject({ rerunOf: originals[0], metadata, priority: 0, input: { prompt: 'a' } });
    const other = await bulk('rerun', key, { filter: { ids: originals } }, 'another call').expect(200);
    expect(other.body).toMatchObject({ created: 2, replayed: 0 });
  });

  it('stops when the balance is used up, and goes on with the same request after a top-up', async () => {
    const { organizationId, key } = await organizationWithKey(gateway, { balance: '0.13' });
    const originals: string[] = [];
    for (let made = 0; made < 3; made += 1) originals.push(await ended(key));
    const filter = { ids: originals };
    const refused = await bulk('rerun', key, { filter }, 'poor').expect(402);
    expect(refused.body.error.code).toBe('INSUFFICIENT_BALANCE');
    expect((await balanceOf(organizationId))[1]).toBe(0.12);
    const path = `/admin/v1/organizations/${organizationId}/executions/bulk-cancel`;
    await admin
      .post(path)
      .send({ filter: { model: 'painter' } })
      .expect(200);
    const resumed = await bulk('rerun', key, { filter }, 'poor').expect(200);
    expect(resumed.body).toMatchObject({ matched: 3, created: 1, replayed: 2 });
  });

  it('names the originals that cannot run again, and needs an Idempotency-Key', async () => {
    const { organizationId, key } = await organization();
    const erased = await ended(key);
    await gateway.client(key).delete(`/v1/executions/${erased}`).expect(200);
    const withdrawn = await completedExecution(db, { organizationId, model: 'gone', cost: '0.1' });
    const filter = { ids: [erased, withdrawn] };
    await bulk('rerun', key, { filter }).expect(400);
    const { body } = await bulk('rerun', key, { filter }, 'once').expect(200);
    expect(body).toMatchObject({ matched: 2, created: 0 });
    const skipped: { rerun_of: string; code: string }[] = body.skipped;
    expect(new Map(skipped.map((one) => [one.rerun_of, one.code]))).toEqual(
      new Map([
        [erased, 'EXECUTION_ERASED'],
        [withdrawn, 'INPUT_VALIDATION_ERROR'],
      ]),
    );
  });
});
