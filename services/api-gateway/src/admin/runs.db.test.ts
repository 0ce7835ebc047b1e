import { describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../testing/testGateway.ts';

const viewer = 'vic-has-a-token-of-his';
const administrator = 'ada-has-a-token-of-hers';

const gateway = await gatewayOfTests({
  ADMIN_TOKEN: `ada:${administrator},vic:${viewer}`,
  ADMIN_ROLES: 'vic:viewer',
});
const { db } = gateway.context;
const admin = createAdminApp(gateway.context);
const { organizationId: org, key } = await organizationWithKey(gateway, { balance: '10' });

const post = (path: string, body: object = {}, idempotencyKey = '') =>
  clientOf(admin, administrator)
    .post(`/admin/v1${path}`)
    .set(idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {})
    .send(body);
const read = async (path: string) =>
  (await clientOf(admin, administrator).get(`/admin/v1${path}`).expect(200)).body;
const available = async () => (await read(`/organizations/${org}`)).balance.available;
const actions = async () => (await read('/actions')).data;

const run = {
  model: 'painter',
  input: { prompt: 'a secret lighthouse', images: 2 },
  metadata: { n: 'secret' },
};

describe('an execution that an operator creates for an organization', () => {
  it('holds what the estimate said, once per idempotency key', async () => {
    const before = Number(await available());
    const { body: estimate } = await post(`/organizations/${org}/executions/estimate`, {
      model: run.model,
      input: run.input,
    }).expect(200);
    const { body } = await post(`/organizations/${org}/executions`, run, 'key-1').expect(202);
    expect(body.hold_amount).toBe(estimate.hold_amount);
    const again = await post(`/organizations/${org}/executions`, run, 'key-1').expect(202);
    expect(again.body.id).toBe(body.id);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(before - Number(await available())).toBeCloseTo(Number(estimate.hold_amount), 8);
    await post(`/organizations/${org}/executions`, { ...run, input: { prompt: 'b' } }, 'key-1').expect(422);
    expect(await read(`/executions/${body.id}`)).toMatchObject({
      organization_id: org,
      api_key_id: 'operator',
      input: run.input,
      rerun_of: null,
      reruns: [],
    });
    const { body: theirs } = await gateway.client(key).get(`/v1/executions/${body.id}`).expect(200);
    expect(theirs).toMatchObject({ id: body.id, metadata: run.metadata });
  });

  it('is recorded under the name of the operator, without its input; an estimate is not recorded', async () => {
    const [{ id: last }] = await actions();
    await post(`/organizations/${org}/executions/estimate`, { model: run.model, input: run.input }).expect(
      200,
    );
    expect((await actions())[0].id).toBe(last);
    const { body } = await post(`/organizations/${org}/executions`, run).expect(202);
    const [action] = await actions();
    expect(action).toMatchObject({
      actor: 'ada',
      action: 'POST /admin/v1/organizations/{organization_id}/executions',
      organization_id: org,
      target: body.id,
      status: 202,
    });
    expect(JSON.stringify(action)).not.toContain('secret');
  });

  it('is refused for a wrong input with its field, without balance, for a viewer, and for an unknown organization', async () => {
    const path = `/organizations/${org}/executions`;
    const { body } = await post(path, { model: 'painter', input: { images: 0 } }).expect(400);
    expect(body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      'input.prompt',
      'input.images',
    ]);
    await post(path, { model: 'painter', input: { prompt: 'a', images: 1000 } }).expect(402);
    await clientOf(admin, viewer).post(`/admin/v1${path}`).send(run).expect(403);
    await clientOf(admin, viewer)
      .post(`/admin/v1${path}/estimate`)
      .send({ model: run.model, input: run.input })
      .expect(200);
    await post('/organizations/org_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/executions', run).expect(404);
  });
});

describe('an execution that is run again', () => {
  it('repeats input, metadata and timeout, once per idempotency key, and both name each other', async () => {
    const { body: original } = await post(`/organizations/${org}/executions`, {
      ...run,
      timeout_seconds: 77,
    });
    const ofFace = { webhookDialect: { name: 'fal', events: ['completed'], base: '' }, filesForS: 60 };
    await db.prisma.execution.update({ where: { id: original.id }, data: ofFace });
    const { body } = await post(`/executions/${original.id}/rerun`, {}, 'again-1').expect(202);
    expect(await db.prisma.execution.findUnique({ where: { id: body.id } })).toMatchObject(ofFace);
    expect(body).toMatchObject({ rerun_of: original.id, model: run.model, status: 'PENDING' });
    const { body: replayed } = await post(`/executions/${original.id}/rerun`, {}, 'again-1').expect(202);
    expect(replayed.id).toBe(body.id);
    const [first, second] = [await read(`/executions/${original.id}`), await read(`/executions/${body.id}`)];
    expect(second).toMatchObject({ input: run.input, metadata: run.metadata, rerun_of: original.id });
    expect(Date.parse(second.expires_at) - Date.parse(second.created_at)).toBe(77_000);
    expect(first.reruns).toMatchObject([{ id: body.id, status: 'PENDING' }]);
    const { body: other } = await post(`/executions/${body.id}/rerun`).expect(202);
    await post(`/executions/${other.id}/rerun`, {}, 'again-1').expect(422);
  });

  it('is refused once the original is erased, but the first request stays accepted; the link stays', async () => {
    const { body: original } = await post(`/organizations/${org}/executions`, run).expect(202);
    const { body } = await post(`/executions/${original.id}/rerun`, {}, 'before-erasure').expect(202);
    await post(`/executions/${original.id}/cancel`).expect(200);
    await clientOf(admin, administrator)
      .delete(`/admin/v1/organizations/${org}/executions/${original.id}`)
      .expect(200);
    await post(`/executions/${original.id}/rerun`).expect(410);
    const { body: replayed } = await post(`/executions/${original.id}/rerun`, {}, 'before-erasure').expect(
      202,
    );
    expect(replayed.id).toBe(body.id);
    expect((await read(`/executions/${body.id}`)).rerun_of).toBe(original.id);
  });

  it('needs the role `admin`, and an execution', async () => {
    const { body: original } = await post(`/organizations/${org}/executions`, run).expect(202);
    await clientOf(admin, viewer).post(`/admin/v1/executions/${original.id}/rerun`).expect(403);
    await post('/executions/exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d/rerun').expect(404);
  });
});

describe('a file that an operator uploads for an organization', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const upload = (bytes: Buffer, name: string) =>
    clientOf(admin, administrator)
      .post(`/admin/v1/organizations/${org}/files?filename=${encodeURIComponent(name)}`)
      .set('Content-Type', 'image/png')
      .send(bytes);

  it('is an input of its executions and belongs to it alone', async () => {
    const { body: file } = await upload(png, 'a photo.png').expect(201);
    expect(file).toMatchObject({ status: 'ready', content_type: 'image/png', size_bytes: png.length });
    await post(`/organizations/${org}/executions`, {
      model: 'painter',
      input: { prompt: 'a', source: file.file_id },
    }).expect(202);
    await gateway.client(key).get(`/v1/files/${file.file_id}`).expect(200);
    const other = await gateway.newOrganization();
    await clientOf(admin, administrator)
      .get(`/admin/v1/organizations/${other}/files/${file.file_id}`)
      .expect(404);
  });

  it('is refused if its bytes are of no accepted type', async () => {
    const { body } = await upload(Buffer.from('<svg onload="x()"/>'), 'x.png').expect(400);
    expect(body.error.code).toBe('FILE_FORMAT_UNSUPPORTED');
  });
});
