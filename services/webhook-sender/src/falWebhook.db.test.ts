import { createHash, createPublicKey, verify } from 'node:crypto';
import { openFalKeyPairs } from '@holdfast/kit/keyPairs';
import { until } from '@holdfast/testkit/until';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { expect, it } from '@jest/globals';
import { useStage } from './testing/stage.ts';

const stage = await useStage();
const fal = { name: 'fal' as const, events: ['completed' as const], base: 'https://holdfast.example/v1/fal' };

async function calls(count: number) {
  await until('webhooks', () => stage.receiver.received.length >= count);
  return stage.receiver.received;
}

/** By the words of fal's documentation. */
function isSigned({ headers, body }: Received): boolean {
  const part = (name: string) => String(headers[`x-fal-webhook-${name}`]);
  const digest = createHash('sha256').update(body).digest('hex');
  const text = [part('request-id'), part('user-id'), part('timestamp'), digest].join('\n');
  const signature = Buffer.from(part('signature'), 'hex');
  return openFalKeyPairs(stage.config.ENCRYPTION_KEYS).jwks.keys.some((key) =>
    verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), signature),
  );
}

const text = 'hello\u2028 wörld';
const failed = { status: 'ERROR', error: 'Invalid status code: 500' };
const tooLarge = { status: 'OK', payload: null, payload_error: expect.any(String) };

it.each([
  ['execution.completed', {}, { status: 'OK', payload: { output: text, text } }],
  ['execution.completed', { outputText: 'a'.repeat(400_000) }, tooLarge],
  ['execution.failed', {}, { ...failed, payload: { detail: 'no', error_type: 'internal_server_error' } }],
  [
    'execution.cancelled',
    {},
    { ...failed, payload: { detail: 'The request was cancelled.', error_type: 'client_cancelled' } },
  ],
] as const)("calls a client of fal's at %s (%j), signed on every attempt", async (type, more, shown) => {
  let left = 2;
  stage.receiver.respond = (_request, response) => void response.writeHead(left-- > 1 ? 500 : 200).end();
  const fields = { webhookUrl: stage.receiver.url, webhookDialect: fal, ...more };
  const { executionId: id } = await stage.publish(type, fields);
  const received = await calls(2);
  for (const call of received) {
    expect(JSON.parse(call.body)).toEqual({ request_id: id, gateway_request_id: id, ...shown });
    expect(call.headers['x-fal-webhook-user-id']).toBe(stage.organization.id);
    expect([isSigned(call), isSigned({ ...call, body: `${call.body} ` })]).toEqual([true, false]);
  }
  expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id']);
});
