import { createHmac } from 'node:crypto';
import { newId } from '@holdfast/domain/ids';
import type { TestEvent } from '@holdfast/queues/definitions';
import { status } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { useStage } from './testing/stage.ts';

const stage = await useStage();

const call = (endpointId: string, of = stage.organization.id, event?: TestEvent) =>
  stage.testCalls.request(
    {
      requestId: newId('req'),
      endpointId,
      organizationId: of,
      traceparent: null,
      ...(event && { event }),
    },
    10_000,
  );

describe('a test call', () => {
  it('sends a signed test event and returns the response', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    expect(await call(endpoint.id)).toEqual({
      success: true,
      status_code: 200,
      response_time_ms: expect.any(Number),
    });
    const [request] = stage.receiver.received;
    const body = request?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.test',
      event_type: 'webhook.test',
      organization_id: stage.organization.id,
    });
    const text = `${String(request?.headers['x-signature-timestamp'])}.${body}`;
    expect(request?.headers['x-signature']).toBe(
      createHmac('sha256', endpoint.secret).update(text).digest('hex'),
    );
  });

  it.each([
    ['holdfast', 'execution.completed', 'exec_1'],
    ['openai', 'response.completed', 'resp_1'],
  ])('sends the example of a type in the dialect %s, marked as a test', async (dialect, type, id) => {
    const { id: endpointId } = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      dialect,
    });
    const about = { execution_id: 'exec_1' };
    const event = { type: 'execution.completed', about, data: { id: 'exec_1', status: 'COMPLETED' } };
    await call(endpointId, stage.organization.id, event);
    const body: unknown = JSON.parse(stage.receiver.received[0]?.body ?? '');
    expect(body).toMatchObject({ id: expect.stringMatching(/^evt_/), type, data: { id }, test: true });
  });

  it('does not change the state of the endpoint', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const before = await endpoint.read();
    stage.receiver.respond = status(500);
    expect(await call(endpoint.id)).toMatchObject({
      success: false,
      status_code: 500,
      error: 'responded with 500',
    });
    expect(await endpoint.read()).toEqual(before);
  });

  it('returns status code 0 when no server responds', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    await stage.receiver.close();
    expect(await call(endpoint.id)).toMatchObject({
      success: false,
      status_code: 0,
      error: 'connect ECONNREFUSED',
    });
  });

  it("sends nothing to another organization's endpoint", async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    expect(await call(endpoint.id, newId('org'))).toMatchObject({ success: false, status_code: 0 });
    expect(stage.receiver.received).toHaveLength(0);
  });
});
