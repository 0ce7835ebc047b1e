import { readEvents, type ServedEvent } from '@holdfast/api-gateway/testing/readEvents';
import { type FakeServer, type Reply, startFakeServer } from '@holdfast/providers/conformance/fakeServer';
import type { StreamedBody } from '@holdfast/providers/conformance/wireServer';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { type Stack, startStack } from '../../stack/stack.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { writer } from './models.ts';

let fakeServer: FakeServer;
let stack: Stack;
let customer: Customer;

const streamed = {
  stream: 'text',
  on_cancel: 'charge',
  price: { per_output_token: '0.01' },
  estimate: { output_tokens: 100 },
} as const;
const routeOf = (endpoint: string) =>
  ({ adapter: 'openai', connection: 'openai', model: 'acme-writer', options: { endpoint } }) as const;

beforeAll(async () => {
  fakeServer = await startFakeServer();
  stack = await startStack({ OPENAI_BASE_URL: fakeServer.baseUrl, OPENAI_API_KEY: 'sk-1234567890' }, [
    writer('chat', [routeOf('chat')], streamed),
    writer('thinker', [routeOf('responses')], streamed),
  ]);
});
afterAll(async () => {
  await stack.close();
  await fakeServer.close();
});
beforeEach(async () => {
  customer = await newCustomer(stack);
  fakeServer.received.length = 0;
});

const sse = (...events: (object | string)[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const delta = (content: string, reason: string | null = null) =>
  sse({ choices: [{ index: 0, delta: { content }, finish_reason: reason }] });

/** Creates a run and reads its stream. `shown` is the text so far. */
async function start(model: string, ...replies: (Reply | StreamedBody)[]) {
  fakeServer.reply(
    ...replies.map((reply) => (typeof reply === 'function' ? { status: 200, stream: reply } : reply)),
  );
  const id = await create(customer.api, model, { prompt: 'a' }, { stream: true });
  const response = await customer.api.fetch(`/v1/executions/${id}/stream`);
  const events: ServedEvent[] = [];
  const done = (async () => {
    for await (const event of readEvents(response)) events.push(event);
    return events.at(-1);
  })();
  const shown = () =>
    events
      .filter(({ event }) => event === 'output')
      .map(({ data }) => (data as { delta: string }).delta)
      .join('');
  return { id, done, shown };
}

describe('the stream of a chat', () => {
  it('is shown while it is made, and charged by its usage', async () => {
    const read = Promise.withResolvers<void>();
    const { id, done, shown } = await start('chat', async function* () {
      yield delta('Once ');
      await read.promise;
      yield delta('upon a time', 'stop');
      yield sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 7 } }, '[DONE]');
    });
    await until('the first piece is shown', () => shown() === 'Once ');
    read.resolve();
    expect(await done).toMatchObject({
      event: 'done',
      data: { status: 'COMPLETED', finish_reason: 'stop', cost: '0.07' },
    });
    expect(shown()).toBe('Once upon a time');
    expect(await expectEndedOnce(stack, customer, id)).toMatchObject({ cost: '0.07' });
  });

  it('that breaks off fails, keeps what was shown, and costs nothing', async () => {
    const read = Promise.withResolvers<void>();
    const { id, done, shown } = await start('chat', async function* () {
      yield delta('Once ');
      await read.promise;
      throw new Error('the provider dies');
    });
    await until('the first piece is shown', () => shown() === 'Once ');
    read.resolve();
    expect(await done).toMatchObject({ event: 'done', data: { status: 'FAILED' } });
    expect(fakeServer.received).toHaveLength(1);
    expect(await expectEndedOnce(stack, customer, id)).toMatchObject({ partial_output: 'Once ', cost: null });
  });

  it('that is cancelled closes the connection, and costs what was shown', async () => {
    const hungUp = Promise.withResolvers<void>();
    const { id, done, shown } = await start('chat', async function* (signal) {
      signal.addEventListener('abort', () => hungUp.resolve());
      yield delta('Twelve chars');
      await hungUp.promise;
    });
    await until('the first piece is shown', () => shown() === 'Twelve chars');
    await customer.api.post(`/v1/executions/${id}/cancel`);
    await hungUp.promise;
    expect(await done).toMatchObject({ event: 'done', data: { status: 'CANCELLED', cost: '0.03' } });
    expect(await expectEndedOnce(stack, customer, id)).toMatchObject({ cost: '0.03' });
  });
});

describe('the stream of a background response', () => {
  const id = 'resp_1';
  const response = { id, object: 'response', status: 'in_progress', output: [] };
  const content = [{ type: 'output_text', text: 'Once upon a time' }];
  const completed = {
    ...response,
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content }],
    usage: { input_tokens: 3, output_tokens: 7 },
  };
  const created = { type: 'response.created', sequence_number: 0, response };
  const piece = { type: 'response.output_text.delta', sequence_number: 1, delta: 'Once ' };

  it('that breaks off and cannot be resumed is completed by a poll', async () => {
    const broken: StreamedBody = async function* () {
      yield sse(created, piece);
      await until('the first piece is shown', () => begun.shown() === 'Once ');
      throw new Error('the connection dies');
    };
    const begun = await start('thinker', broken, { status: 404 }, { status: 200, json: completed });
    expect(await begun.done).toMatchObject({ event: 'done', data: { status: 'COMPLETED', cost: '0.07' } });
    expect(begun.shown()).toBe('Once upon a time');
    await expectEndedOnce(stack, customer, begun.id);
  });

  it('is cancelled at the provider with its execution', async () => {
    const begun = await start(
      'thinker',
      async function* (signal) {
        yield sse(created, piece);
        await until('the connection is closed', () => signal.aborted);
      },
      { status: 200, json: { ...response, status: 'cancelled' } },
    );
    await until('the first piece is shown', () => begun.shown() === 'Once ');
    await customer.api.post(`/v1/executions/${begun.id}/cancel`);
    await until('it is cancelled', () =>
      fakeServer.received.some(({ path }) => path === `/v1/responses/${id}/cancel`),
    );
    await untilStatus(customer.api, begun.id, 'CANCELLED');
  });
});
