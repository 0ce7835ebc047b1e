import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ApiError } from '@holdfast/domain/errors';
import { listenAt } from '@holdfast/kit/http';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sendError } from './errors.ts';
import { openState, type RequestState } from './requestState.ts';

describe('an upload that is refused before its end', () => {
  const stepBytes = 262_144;
  const accepted: Socket[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (_request, response) => {
    openState(response, { requestId: 'req_1', publicUrl: '' } as RequestState);
    sendError(response, new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Another type was declared.'));
  }).on('connection', (socket) => accepted.push(socket));

  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] }));
  afterEach(() => {
    jest.useRealTimers();
    server.closeAllConnections();
    server.close();
  });

  /** Starts an upload of this many steps, and returns it once its refusal has come. */
  async function startUpload(steps: number) {
    const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
    const client = connect(port, '127.0.0.1');
    let [received, sentBytes] = ['', 0];
    client.on('data', (bytes) => {
      received += String(bytes);
    });
    async function send(data: string | Buffer): Promise<void> {
      client.write(data);
      sentBytes += data.length;
      await until('it is read', () => accepted.at(-1)?.bytesRead === sentBytes);
    }
    await send(`PUT / HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${steps * stepBytes}\r\n\r\n`);
    await until('it is refused', () => received.includes('UNSUPPORTED_MEDIA_TYPE'));
    return {
      client,
      received: () => received,
      send,
      sendStep: () => send(Buffer.alloc(stepBytes)),
    };
  }

  it('may take longer than ten seconds, and leaves its connection to the next request', async () => {
    const { received, send, sendStep } = await startUpload(3);
    for (let step = 1; step <= 3; step++) {
      jest.advanceTimersByTime(9999);
      await sendStep();
    }
    jest.advanceTimersByTime(10_000);
    await send('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await until('there is another response', () => received().match(/HTTP\/1.1 415/g)?.length === 2);
  });

  it('is cut off when less than a step of it comes within ten seconds', async () => {
    const { client, send, sendStep } = await startUpload(3);
    await sendStep();
    jest.advanceTimersByTime(9999);
    await send(Buffer.alloc(stepBytes - 1));
    expect(client.readyState).toBe('open');
    jest.advanceTimersByTime(1);
    await until('its connection is closed', () => client.closed);
  });
});
