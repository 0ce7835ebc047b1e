import { createHmac } from 'node:crypto';
import { newId } from '@holdfast/domain/ids';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl());
});
afterAll(() => stage.close());

beforeEach(async () => {
  receiver = await startReceiver();
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => receiver.close());

const call = (endpointId: string, of = organizationId) =>
  stage.testCalls.request({ requestId: newId('req'), endpointId, organizationId: of }, 10_000);

describe('a test call', () => {
  it('sends a signed test event and says how it was answered', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    expect(await call(endpoint.id)).toEqual({
      success: true,
      status_code: 200,
      response_time_ms: expect.any(Number),
    });
    const [request] = receiver.received;
    const body = request?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.test',
      event_type: 'webhook.test',
      organization_id: organizationId,
    });
    const text = `${String(request?.headers['x-signature-timestamp'])}.${body}`;
    expect(request?.headers['x-signature']).toBe(
      createHmac('sha256', endpoint.secret).update(text).digest('hex'),
    );
  });

  it('touches none of the counts of the endpoint', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    const before = await endpoint.now();
    receiver.answer = status(500);
    expect(await call(endpoint.id)).toMatchObject({
      success: false,
      status_code: 500,
      error: 'answered 500',
    });
    expect(await endpoint.now()).toEqual(before);
  });

  it('answers 0 when nobody answers', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    await receiver.close();
    expect(await call(endpoint.id)).toMatchObject({
      success: false,
      status_code: 0,
      error: 'connect ECONNREFUSED',
    });
  });

  it("sends nothing to another organization's endpoint", async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    expect(await call(endpoint.id, newId('org'))).toMatchObject({ success: false, status_code: 0 });
    expect(receiver.received).toHaveLength(0);
  });
});
