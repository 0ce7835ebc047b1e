import { createHmac } from 'node:crypto';
import { auditLedger } from '@holdfast/db/audit/audit';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import {
  create,
  eventsOf,
  type ReceivedEvent,
  readExecution,
  untilEvent,
  untilStatus,
} from '../stack/executions.ts';
import { stackOfTests } from '../stack/stackOfTests.ts';

const stack = await stackOfTests();
const customer = await stack.newCustomer('10');
const { status, body } = await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
expect(status).toBe(201);
const secret = body['secret'] as string;

const balance = async (of = customer) => (await of.api.get('/v1/balance')).body;

async function upload(bytes: Buffer, contentType: string): Promise<string> {
  const terms = { filename: 'image', content_type: contentType, size_bytes: bytes.length };
  const { body } = await customer.api.post('/v1/files/upload', terms);
  const put = await fetch(body['upload_url'] as string, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: new Uint8Array(bytes),
  });
  expect([put.status, await put.text()]).toEqual([200, '']);
  return body['file_id'] as string;
}

function expectSignedWith(key: string, { request }: ReceivedEvent) {
  const timestamp = request.headers['x-signature-timestamp'] as string;
  const hex = createHmac('sha256', key).update(`${timestamp}.${request.body}`).digest('hex');
  expect(request.headers['x-signature']).toBe(hex);
}

describe('an uploaded image that is transformed', () => {
  it('is announced by a signed webhook, can be downloaded in both ways, and is charged exactly', async () => {
    const red = { width: 90, height: 60, channels: 3, background: { r: 200, g: 20, b: 20 } } as const;
    const source = await upload(await sharp({ create: red }).jpeg().toBuffer(), 'image/jpeg');
    const before = Number((await balance())['total']);
    const id = await create(customer.api, 'image-transform', {
      source_image: source,
      width: 30,
      format: 'png',
      grayscale: true,
    });

    const event = await untilEvent(stack.receiver, id, 'execution.completed');
    expectSignedWith(secret, event);
    const { body: result } = await customer.api.get(`/v1/executions/${id}/result`);
    expect(result).toEqual({
      execution_id: id,
      status: 'COMPLETED',
      output: {
        images: [{ file_id: expect.stringMatching(/^file_/), format: 'png', width: 30, height: 20 }],
      },
      usage: { input_tokens: 0, output_tokens: 0, images: 1 },
      cost: '0.02',
      latency_ms: expect.any(Number),
    });
    expect(event.data.result).toEqual(result['output']);

    const [{ file_id: fileId }] = (result['output'] as { images: [{ file_id: string }] }).images;
    const downloaded = await customer.api.fetch(`/v1/files/${fileId}/download`);
    const bytes = Buffer.from(await downloaded.arrayBuffer());
    const { url } = (await customer.api.get(`/v1/files/${fileId}/url`)).body;
    const presigned = await fetch(url as string);
    expect(Buffer.from(await presigned.arrayBuffer()).equals(bytes)).toBe(true);

    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 30, height: 20 });
    const { channels } = await sharp(bytes).toColourspace('srgb').removeAlpha().stats();
    const [r, g = r, b = r] = channels.map(({ mean }) => mean);
    expect([g, b]).toEqual([r, r]);

    expect(await balance()).toEqual({
      available: (before - 0.02).toFixed(2),
      held: '0.00',
      total: (before - 0.02).toFixed(2),
      currency: 'USD',
      spend_limit: null,
    });
  });

  it('fails its execution with FILE_FORMAT_UNSUPPORTED if it is not an image, and is not charged', async () => {
    const before = await balance();
    const text = await upload(Buffer.from('not an image, only words'), 'text/plain');
    const id = await create(customer.api, 'image-transform', { source_image: text });
    const { error } = await untilStatus(customer.api, id, 'FAILED');
    expect(error).toMatchObject({ code: 'FILE_FORMAT_UNSUPPORTED', retryable: false });
    expect(await balance()).toEqual(before);
  });

  it('is refused with FILE_FORMAT_UNSUPPORTED if its bytes are not of the declared type', async () => {
    const before = await balance();
    const liar = await upload(Buffer.from('not an image, only words'), 'image/png');
    const input = { source_image: liar };
    const { status, body } = await customer.api.post('/v1/executions', { model: 'image-transform', input });
    expect([status, body]).toMatchObject([400, { error: { code: 'FILE_FORMAT_UNSUPPORTED' } }]);
    expect(await balance()).toEqual(before);
  });
});

describe('an execution whose provider calls back', () => {
  it('shows AWAITING_WEBHOOK, then COMPLETED, and emits its start before its end', async () => {
    const id = await create(customer.api, 'sandbox-image', { prompt: 'a lighthouse', delay_ms: 8000 });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    const { result, cost } = await untilStatus(customer.api, id, 'COMPLETED');
    expect(cost).toBe('0.04');
    expect(result).toMatchObject({ images: [{ format: 'png', width: 512, height: 512 }] });
    await untilEvent(stack.receiver, id, 'execution.completed');
    const started = await untilEvent(stack.receiver, id, 'execution.started');
    expect(started.data.status).toBe('PROCESSING');
    expect(new Set(eventsOf(stack.receiver, id).map((event) => event.type))).toEqual(
      new Set(['execution.started', 'execution.completed']),
    );
  });
});

describe('callbacks', () => {
  const tokenOf = (executionId: string) =>
    until('its attempt', async () => {
      const attempt = await stack.db.prisma.attempt.findFirst({ where: { executionId, state: 'running' } });
      return attempt && { token: attempt.token, externalId: attempt.externalId as string };
    });
  const call = (token: string, body: unknown) =>
    fetch(`${stack.baseUrl}/v1/callbacks/sandbox/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const start = () =>
    create(customer.api, 'sandbox-text', { prompt: 'one', delay_ms: 600_000, mode: 'callback' });
  const processed = (token: string) =>
    until('the callback is processed', async () => {
      const callbacks = await stack.db.prisma.providerCallback.findMany({ where: { token } });
      return callbacks.length > 0 && callbacks.every(({ processedAt }) => processedAt) && callbacks;
    });
  const success = (id: string, output = 'called back') => ({ id, status: 'succeeded', output });

  it('end a run once, even if the same one arrives several times', async () => {
    const id = await start();
    const { token, externalId } = await tokenOf(id);
    const body = success(externalId);
    const responses = await Promise.all(Array.from({ length: 5 }, () => call(token, body)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { result, cost } = await untilStatus(customer.api, id, 'COMPLETED');
    expect([result, cost]).toEqual([{ text: 'called back' }, '0.01']);
    expect(await processed(token)).toHaveLength(1);
  });

  it('that are forged change nothing, without a token or for another run', async () => {
    const id = await start();
    const { token } = await tokenOf(id);
    expect((await call('0'.repeat(64), success('x'))).status).toBe(404);
    for (let forgeries = 0; forgeries < 40; forgeries += 1) {
      expect((await call(token, success('another-customers-run', `forged ${forgeries}`))).status).toBe(200);
      const kept = () => stack.db.prisma.providerCallback.count({ where: { token } });
      await until('the forgery is dropped', async () => (await kept()) === 0);
    }
    expect((await readExecution(customer.api, id)).status).toBe('AWAITING_WEBHOOK');
    await customer.api.post(`/v1/executions/${id}/cancel`);
  });

  it('that are late are accepted, and change and charge nothing', async () => {
    const id = await start();
    const { token, externalId } = await tokenOf(id);
    await customer.api.post(`/v1/executions/${id}/cancel`);
    const before = await balance();
    expect((await call(token, success(externalId))).status).toBe(200);
    await processed(token);
    expect(await readExecution(customer.api, id)).toMatchObject({ status: 'CANCELLED', cost: null });
    expect(await balance()).toEqual(before);
  });

  it('that report a different outcome after the first are ignored', async () => {
    const id = await start();
    const { token, externalId } = await tokenOf(id);
    await call(token, success(externalId, 'first'));
    await untilStatus(customer.api, id, 'COMPLETED');
    await call(token, { id: externalId, status: 'failed', error: 'second thoughts' });
    await processed(token);
    expect(await readExecution(customer.api, id)).toMatchObject({
      status: 'COMPLETED',
      result: { text: 'first' },
    });
  });
});

describe('webhook_url', () => {
  it("receives the final event only, signed with the organization's secret", async () => {
    const lone = await stack.newCustomer();
    const key = (await lone.api.get('/v1/webhooks/secret')).body['secret'] as string;
    const id = await create(
      lone.api,
      'sandbox-text',
      { prompt: 'hello' },
      { webhook_url: `${stack.receiver.url}/x` },
    );
    const event = await untilEvent(stack.receiver, id, 'execution.completed');
    expect(event.request.path).toBe('/hook/x');
    expectSignedWith(key, event);
    const states = await stack.db.prisma.delivery.findMany({
      where: { organizationId: lone.organizationId },
    });
    expect(states).toHaveLength(1);
  });
});

describe('the ledger', () => {
  it('is correct after all of these tests', async () => {
    expect(await auditLedger(stack.db)).toEqual([]);
  });
});
