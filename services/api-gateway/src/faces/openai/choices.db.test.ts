import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway } from '../testing/faceGateway.ts';

const { gateway, key, organizationId, count, post } = await faceGateway('openai', [
  { slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } },
]);
const { db, watcher } = gateway.context;
const server = closing(createServer(gateway.app));
await once(server.listen(0, '127.0.0.1'), 'listening');

let prompts = 0;
beforeEach(() => {
  prompts++;
});
const bodyOf = (more: object = {}) => ({
  model: 'writer',
  messages: [{ role: 'user', content: `prompt ${prompts}` }],
  n: 3,
  ...more,
});
const send = (more: object = {}) =>
  post('/chat/completions')
    .send(bodyOf(more))
    .then((response) => response);

/** The ids that a request makes, in the order of its choices. */
async function created(before: number): Promise<string[]> {
  await until('each choice is an execution', async () => (await count()) === before + 3);
  const rows = await db.prisma.execution.findMany({
    where: { organizationId },
    orderBy: { id: 'desc' },
    take: 3,
  });
  return rows.map(({ id }) => id).toReversed();
}

const end = (id: string, data: object) =>
  db.prisma.execution.update({ where: { id }, data: { completedAt: new Date(), ...data } });
const complete = (id: string, text: string) =>
  end(id, { status: 'COMPLETED', cost: '0.01', output: { text }, inputTokens: 2, outputTokens: 3 });
const fail = (id: string) =>
  end(id, { status: 'FAILED', errorCode: 'GENERATION_FAILED', errorMessage: 'broken' });

const textsOf = ({ body }: { body: { choices: { message: { content: string } }[] } }) =>
  body.choices.map(({ message }) => message.content);

describe('a chat completion with several choices', () => {
  it('is one execution for each', async () => {
    const before = await count();
    const sent = send();
    const ids = await created(before);
    for (const [index, id] of ids.entries()) await complete(id, `text ${index}`);
    const response = await sent;
    expect(textsOf(response).toSorted()).toEqual(['text 0', 'text 1', 'text 2']);
    expect(response.body).toMatchObject({
      choices: [{ index: 0 }, { index: 1 }, { index: 2, finish_reason: 'stop' }],
      usage: { prompt_tokens: 6, completion_tokens: 9, total_tokens: 15 },
    });
    const { headers } = response;
    expect(headers['holdfast-execution']?.split(', ').toSorted()).toEqual(ids);
    expect([headers['holdfast-hold'], headers['holdfast-cost']]).toEqual(['0.036', '0.03']);
  });

  it('streams each by its index, and the usage of all', async () => {
    const before = await count();
    const sent = send({ stream: true, stream_options: { include_usage: true } });
    const ids = await created(before);
    for (const id of ids) await complete(id, id);
    const { text } = await sent;
    const data = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
    expect(data.pop()).toBe('[DONE]');
    const chunks = data.map((one) => JSON.parse(one));
    expect(chunks.pop()).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    const choices = chunks.map((chunk) => chunk.choices[0]);
    const said = Map.groupBy(choices, ({ index }) => index as number);
    expect(new Set(said.keys())).toEqual(new Set([0, 1, 2]));
    for (const pieces of said.values())
      expect(pieces).toMatchObject([{ delta: { role: 'assistant' } }, { finish_reason: 'stop' }]);
    const contents = choices.flatMap(({ delta }) => delta.content ?? []) as string[];
    expect(new Set(contents)).toEqual(new Set(ids));
  });

  it('has those that completed, and is an error if none did', async () => {
    const before = await count();
    const sent = send();
    const [first = '', second = '', third = ''] = await created(before);
    await fail(first);
    await complete(second, 'two');
    await complete(third, 'three');
    expect(textsOf(await sent).toSorted()).toEqual(['three', 'two']);
    prompts++;
    const failing = send();
    for (const id of await created(before + 3)) await fail(id);
    const { status, body, headers } = await failing;
    expect([status, body.error.message, headers['x-should-retry']]).toEqual([500, 'broken', 'false']);
  });

  it('joins all executions of a request whose client went away', async () => {
    const before = await count();
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const path = '/v1/openai/chat/completions';
    const gone = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers });
    gone.on('error', () => {});
    gone.end(JSON.stringify(bodyOf()));
    const ids = await created(before);
    await until('the request waits', () => watcher.size() > 0);
    gone.destroy();
    await until('the client is gone', () => watcher.size() === 0);
    for (const id of ids) await complete(id, id);
    const response = await send();
    expect([response.headers['holdfast-joined'], textsOf(response).toSorted()]).toEqual(['true', ids]);
    expect(await count()).toBe(before + 3);
  });

  it('leaves nothing to pay for when the balance is not enough for all', async () => {
    const poor = await organizationWithKey(gateway, { balance: '0.03' });
    const client = gateway.client(poor.key);
    const { status, body } = await client.post('/v1/openai/chat/completions').send(bodyOf());
    expect([status, body.error.type]).toEqual([402, 'insufficient_quota']);
    const where = { organizationId: poor.organizationId };
    const made = await db.prisma.execution.findMany({ where });
    expect(made.map((one) => one.status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect((await client.get('/v1/balance')).body).toMatchObject({ available: '0.03', held: '0.00' });
  });
});
