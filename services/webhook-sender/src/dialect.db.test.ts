import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { useStage } from './testing/stage.ts';

const stage = await useStage();
const base = 'https://holdfast.example/v1/replicate';
const replicate = {
  name: 'replicate' as const,
  events: ['start' as const, 'completed' as const],
  model: 'acme/writer',
  version: 'v1',
  base,
};

async function received(count: number) {
  await until('webhooks', () => stage.receiver.received.length >= count);
  return stage.receiver.received.map(({ headers, body }) => ({ headers, body: JSON.parse(body) }));
}

it.each([
  ['execution.started', 1, { status: 'processing', output: null, completed_at: null, error: null }],
  ['execution.completed', 2, { status: 'succeeded', output: 'hello\u2028 wörld' }],
  ['execution.expired', 1, { status: 'failed', output: null, error: 'Deadline exceeded' }],
] as const)(
  "calls a client of Replicate's at %s with its prediction, on every attempt",
  async (type, attempts, shown) => {
    let left: number = attempts;
    stage.receiver.respond = (_request, response) => {
      left -= 1;
      response.writeHead(left > 0 ? 500 : 200).end();
    };
    const { executionId: id, eventId } = await stage.publish(type, {
      webhookUrl: stage.receiver.url,
      webhookDialect: replicate,
    });
    const all = await received(attempts);
    expect(all).toHaveLength(attempts);
    for (const { headers, body } of all) {
      expect(body).toEqual(all[0]?.body);
      expect(headers['webhook-id']).toBe(eventId);
      expect(body).toMatchObject({
        id,
        model: 'acme/writer',
        version: 'v1',
        input: { prompt: 'hello' },
        urls: { get: `${base}/predictions/${id}`, cancel: `${base}/predictions/${id}/cancel` },
        ...shown,
      });
    }
  },
);

it('leaves out an output that no webhook has room for', async () => {
  await stage.publish('execution.completed', {
    webhookUrl: stage.receiver.url,
    webhookDialect: replicate,
    outputText: 'a'.repeat(400_000),
  });
  const [{ body } = { body: null }] = await received(1);
  expect(body).toMatchObject({ status: 'succeeded', output: null, truncated: true });
});
