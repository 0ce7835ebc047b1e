import { applyModels } from '@holdfast/db/models';
import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { wav } from '@holdfast/files/testing/media';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { gatewayOfTests, organizationWithKey, startTestGateway } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { key } = await organizationWithKey(gateway);

const post = (path: string, body: object) => gateway.client(key).post(path).send(body);
const estimate = (body: object) => post('/v1/executions/estimate', body);

describe('POST /v1/executions/estimate', () => {
  it('returns what a create would hold and why, without a balance, and holds nothing', async () => {
    const { body } = await estimate({ model: 'painter', input: { prompt: 'a', images: 3 } }).expect(200);
    expect(body).toEqual({
      model: 'painter',
      estimated_cost: '0.15',
      hold_amount: '0.18',
      currency: 'USD',
      items: [{ unit: 'image', quantity: 3, unit_price: '0.05', amount: '0.15' }],
      hold: { factor: '1.2', minimum: '0.01' },
    });
    expect(await gateway.context.db.prisma.execution.count()).toBe(0);
  });

  it('returns the minimum hold for a tiny cost, and every price', async () => {
    const cheap = modelDefinition.parse({
      slug: 'cheap',
      provider: { adapter: 'cog', connection: 'secret_provider', model: 'theirs' },
      input_schema: { type: 'object' },
      price: { per_megapixel: '0.000000001', per_input_token: '0.000000002' },
      estimate: { megapixels: { size: 'size', default: 1 }, input_tokens: 3 },
      output: { kind: 'images' },
    });
    const own = await startTestGateway();
    await applyModels(own.context.db, [cheap]);
    const { key: ownKey } = await organizationWithKey(own);
    const { body } = await request(own.app)
      .post('/v1/executions/estimate')
      .auth(ownKey, { type: 'bearer' })
      .send({ model: 'cheap', input: { size: '512x512' } })
      .expect(200);
    expect(body).toMatchObject({
      estimated_cost: '0.00000001',
      hold_amount: '0.01',
      items: [
        { unit: 'megapixel', quantity: 0.262144, unit_price: '0.000000001', amount: '0.000000000262144' },
        { unit: 'input_token', quantity: 3, unit_price: '0.000000002', amount: '0.000000006' },
      ],
    });
    await own.close();
  });

  it('counts the defaults of the schema, which a create stores; an idempotency key compares what was sent', async () => {
    const animator = modelDefinition.parse({
      slug: 'animator',
      provider: { adapter: 'cog', connection: 'secret_provider', model: 'theirs' },
      input_schema: {
        type: 'object',
        properties: { prompt: { type: 'string' }, frames: { type: 'integer', default: 3 } },
      },
      price: { per_image: '0.05' },
      estimate: { images: { input: 'frames', default: 1 } },
      output: { kind: 'images' },
    });
    const own = await startTestGateway();
    await applyModels(own.context.db, [animator]);
    const { key: ownKey } = await organizationWithKey(own, { balance: '10' });
    const send = (path: string, input: object) =>
      own.client(ownKey).post(path).set('Idempotency-Key', 'once').send({ model: 'animator', input });
    const estimated = await send('/v1/executions/estimate', { prompt: 'a' }).expect(200);
    expect(estimated.body).toMatchObject({ estimated_cost: '0.15', items: [{ quantity: 3 }] });
    const created = await send('/v1/executions', { prompt: 'a' }).expect(202);
    expect(created.body).toMatchObject({ estimated_cost: '0.15' });
    const [stored] = await own.context.db.prisma.execution.findMany({ where: { id: created.body.id } });
    expect(stored?.input).toEqual({ prompt: 'a', frames: 3 });
    expect((await send('/v1/executions', { prompt: 'a' }).expect(202)).body.id).toBe(created.body.id);
    await send('/v1/executions', { prompt: 'a', frames: 3 }).expect(422);
    await own.close();
  });

  it('prices uploaded files by what was measured of them, and inputs by a table', async () => {
    const scribe = modelDefinition.parse({
      slug: 'scribe',
      provider: { adapter: 'cog', connection: 'secret_provider', model: 'theirs' },
      input_schema: {
        type: 'object',
        properties: { audio: { type: 'string', format: 'file' }, quality: { type: 'string' } },
      },
      price: {
        per_input_second: {
          input: 'audio',
          price: [{ when: { quality: 'high' }, price: '0.2' }, { price: '0.1' }],
          default: 600,
        },
        minimum: '0.3',
      },
      output: { kind: 'text' },
    });
    const own = await startTestGateway();
    await applyModels(own.context.db, [scribe]);
    const { key: ownKey } = await organizationWithKey(own, { balance: '1' });
    const call = (path: string, body: object) => own.client(ownKey).post(path).send(body);
    const sound = wav(16_000);
    const file = { filename: 'a.wav', content_type: 'audio/wav', size_bytes: sound.length };
    const { body: upload } = await call('/v1/files/upload', file).expect(201);
    const { pathname, search } = new URL(upload.upload_url);
    await request(own.app)
      .put(pathname + search)
      .set('Content-Type', 'audio/wav')
      .send(sound)
      .expect(200);

    const of = (quality: string) => ({ model: 'scribe', input: { audio: upload.file_id, quality } });
    const { body: high } = await call('/v1/executions/estimate', of('high')).expect(200);
    const seconds = high.items[0].quantity;
    expect(seconds).toBeLessThan(5);
    expect(high.items[0]).toMatchObject({ unit: 'input_second', unit_price: '0.2' });
    const { body: low } = await call('/v1/executions/estimate', of('low')).expect(200);
    expect(low.items.map(({ unit }: { unit: string }) => unit)).toEqual(['input_second', 'minimum']);
    expect(low.estimated_cost).toBe('0.30');
    const { body: created } = await call('/v1/executions', of('high')).expect(202);
    expect(created.estimated_cost).toBe(high.estimated_cost);
    const { body: model } = await own.client(ownKey).get('/v1/models/scribe').expect(200);
    expect(model.price).toEqual({
      currency: 'USD',
      entries: [
        {
          unit: 'input_second',
          input: 'audio',
          rows: [
            { when: { quality: 'high' }, price: '0.2' },
            { when: {}, price: '0.1' },
          ],
        },
      ],
      minimum: '0.3',
    });
    await own.close();
  });

  it('refuses what a create refuses, with all problems at once', async () => {
    const bad = { model: 'painter', input: { width: 5, format: 'bmp' } };
    const { body } = await estimate(bad).expect(400);
    expect(body.error.details).toHaveLength(3);
    expect((await post('/v1/executions', bad).expect(400)).body.error.details).toEqual(body.error.details);
    const file = `file_${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`;
    const missing = await estimate({ model: 'painter', input: { prompt: 'a', source: file } }).expect(400);
    expect(missing.body.error.code).toBe('FILE_NOT_FOUND');
    await estimate({ model: 'painter', input: { prompt: 'a' }, webhook_url: 'https://a.test' }).expect(400);
  });
});

describe('a model without a configured provider', () => {
  it('is 503 MODEL_UNAVAILABLE at create and estimate, before any hold; an inactive model is unknown', async () => {
    for (const path of ['/v1/executions', '/v1/executions/estimate']) {
      const { body } = await post(path, { model: 'keyless', input: {} }).expect(503);
      expect(body.error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
      await post(path, { model: 'retired', input: {} }).expect(400);
    }
    expect(await gateway.context.db.prisma.execution.count()).toBe(0);
  });
});
