import { expect, it, jest } from '@jest/globals';
import {
  expressHandler,
  fastifyPlugin,
  honoHandler,
  nextHandler,
  sign,
  webhookHandler,
} from './webhookHandlers.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = JSON.stringify({ id: 'evt_1', type: 'execution.completed', data: {} });

const post = (headers: Record<string, string>, content: string | ReadableStream<Uint8Array>) =>
  new Request('http://receiver.test', {
    method: 'POST',
    headers,
    body: content,
    duplex: 'half',
  });

const quiet = { secret, onEvent: () => undefined, onError: () => undefined };

/** Counts the chunks of 64 KiB that are read from it. */
function endless() {
  let read = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      read += 1;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  return { stream, chunks: () => read };
}

it('a handler passes the event of an authentic request on', async () => {
  const onEvent = jest.fn<(event: unknown) => void>();
  const response = await webhookHandler({ secret, onEvent })(post(await sign(body, secret), body));
  expect(response.status).toBe(204);
  expect(onEvent).toHaveBeenCalledWith(expect.objectContaining({ id: 'evt_1' }));
});

it.each([
  ['webhookHandler', webhookHandler],
  ['honoHandler', honoHandler],
  ['expressHandler', expressHandler],
  [
    'fastifyPlugin',
    (options: { secret: string; onEvent(): void }) => fastifyPlugin({ path: '/', ...options }),
  ],
])('%s throws when it is created without a secret, not at each webhook', (_name, create) => {
  const secrets: unknown[] = [undefined, '', [], [secret, undefined]];
  for (const one of secrets)
    expect(() => create({ secret: one as string, onEvent: () => undefined })).toThrow('set `secret`');
});

it('nextHandler throws without a secret only at a request, because next build creates it too', async () => {
  const handle = nextHandler({ secret: undefined as unknown as string, onEvent: () => undefined });
  await expect(handle(post({}, body))).rejects.toThrow('set `secret`');
});

it('a handler prints the errors of onEvent, unless they are passed to onError', async () => {
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const error = new Error('of the caller');
  const onEvent = () => Promise.reject(error);
  const request = async () => post(await sign(body, secret), body);
  expect((await webhookHandler({ secret, onEvent })(await request())).status).toBe(500);
  expect(printed.mock.calls).toEqual([[error]]);
  const onError = jest.fn();
  await webhookHandler({ secret, onEvent, onError })(await request());
  expect([printed.mock.calls.length, onError.mock.calls]).toEqual([1, [[error]]]);
  printed.mockRestore();
});

it('a handler does not read a request without a signature', async () => {
  const { stream, chunks } = endless();
  const response = await webhookHandler(quiet)(post({}, stream));
  expect(response.status).toBe(401);
  expect(chunks()).toBeLessThan(3);
});

it('a handler reads no more than the largest webhook could have', async () => {
  const { stream, chunks } = endless();
  const headers = await sign(body, secret);
  const response = await webhookHandler(quiet)(post(headers, stream));
  expect(response.status).toBe(401);
  expect(chunks()).toBeLessThan(20);
});
