import { expect, it, jest } from '@jest/globals';
import { sign, webhookHandler } from './webhookHandlers.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const body = JSON.stringify({ id: 'evt_1', type: 'execution.completed', data: {} });

const post = (headers: Record<string, string>, content: string | ReadableStream<Uint8Array>) =>
  new Request('http://receiver.test', {
    method: 'POST',
    headers,
    body: content,
    duplex: 'half',
  });

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

it('a handler does not read a request without a signature', async () => {
  const { stream, chunks } = endless();
  const response = await webhookHandler({ secret, onEvent: () => undefined })(post({}, stream));
  expect(response.status).toBe(401);
  expect(chunks()).toBeLessThan(3);
});

it('a handler reads no more than the largest webhook could have', async () => {
  const { stream, chunks } = endless();
  const headers = await sign(body, secret);
  const response = await webhookHandler({ secret, onEvent: () => undefined })(post(headers, stream));
  expect(response.status).toBe(401);
  expect(chunks()).toBeLessThan(20);
});
