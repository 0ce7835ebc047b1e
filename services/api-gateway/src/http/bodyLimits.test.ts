import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenAt } from '@holdfast/kit/http';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type BodyPace, holdUntilSent, openBodyMemory, watchPace } from './bodyLimits.ts';

it('body memory allows one holder half and all holders everything, and reuses what is released', () => {
  const memory = openBodyMemory(100);
  const [first, again, second, third] = ['a', 'a', 'b', 'c'].map((holder) => memory.open(holder));
  first?.take(30);
  expect(() => again?.take(21)).toThrow('Too many of your requests');
  again?.take(20);
  second?.take(49);
  expect(() => third?.take(2)).toThrow('Too many requests have large bodies');
  third?.take(1);
  expect(memory.heldBytes()).toBe(100);
  for (const hold of [first, first, second, third]) hold?.release();
  expect(memory.heldBytes()).toBe(20);
  expect(() => again?.take(31)).toThrow('Too many of your requests');
  again?.release();
  memory.open('a').take(50);
  expect(memory.heldBytes()).toBe(50);
});

it('body memory allows one member an eighth or one body, and leaves the rest of its holder to the others', () => {
  const memory = openBodyMemory(80);
  const [first, second, other] = ['m', 'm', 'n'].map((member) => memory.open('callbacks', member));
  first?.take(8);
  expect(() => second?.take(3)).toThrow('Too many of your requests');
  second?.take(2);
  first?.release();
  second?.take(20);
  expect(() => first?.take(1)).toThrow('Too many of your requests');
  other?.take(18);
  expect(() => other?.take(1)).toThrow('Too many of your requests');
  for (const hold of [second, other]) hold?.release();
  expect(memory.heldBytes()).toBe(0);
  memory.open('callbacks', 'm').take(40);
});

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

const paces = { minBytesPerS: 100, windowMs: 10_000, maxMs: 30_000 };

function watched(pace: Partial<BodyPace> = {}) {
  const socket = { bytesRead: 500 };
  const request = Object.assign(new EventEmitter(), { socket, complete: false, isPaused: () => isPaused });
  let isPaused = false;
  const onTooSlow = jest.fn();
  const stop = watchPace(request as unknown as IncomingMessage, { ...paces, ...pace }, onTooSlow);
  return {
    request,
    stop,
    messages: () => onTooSlow.mock.calls.map(([error]) => (error as Error).message),
    /** Lets ten seconds pass, in which `bytes` come. */
    window(bytes: number) {
      socket.bytesRead += bytes;
      jest.advanceTimersByTime(10_000);
    },
    pause(paused: boolean) {
      isPaused = paused;
      if (paused) request.emit('pause');
    },
  };
}

const tooSlow = 'The body arrived too slowly: send at least 100 bytes per second.';

describe('the pace of a body', () => {
  it('is refused once, at the first window with too few bytes', () => {
    const { window, messages } = watched({ maxMs: null });
    window(5000);
    window(1000);
    expect(messages()).toEqual([]);
    window(999);
    window(0);
    expect(messages()).toEqual([tooSlow]);
  });

  it('is refused when the whole body takes too long, at any rate', () => {
    const { window, messages } = watched();
    for (let time = 0; time < 3; time += 1) window(1_000_000);
    expect(messages()).toEqual(['The body was not complete within 30 s.']);
  });

  it('ignores windows in which the gateway does not read', () => {
    const { window, pause, messages } = watched({ maxMs: null });
    pause(true);
    window(0);
    window(0);
    pause(false);
    window(0);
    expect(messages()).toEqual([]);
    window(0);
    expect(messages()).toEqual([tooSlow]);
  });

  it('is no longer watched when the body is complete or the watch is stopped', () => {
    const complete = watched();
    complete.request.complete = true;
    const stopped = watched();
    stopped.stop();
    for (const { window, messages } of [complete, stopped]) {
      for (let time = 0; time < 4; time += 1) window(0);
      expect(messages()).toEqual([]);
    }
  });
});

describe('a large response', () => {
  /** More than the kernel takes. */
  const bytes = 16_000_000;
  const timeMs = 60_000 + bytes / 16;
  const memory = openBodyMemory(2 * bytes, 'responses');
  const accepted: Socket[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (request.url === '/stream') response.write('data: \n\n');
    else {
      holdUntilSent(response, bytes, memory.open('an organization'));
      response.end(Buffer.alloc(bytes));
    }
  }).on('connection', (socket) => accepted.push(socket));

  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] }));
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends the requests on one connection, and returns it with the server's side of it once the response is held. */
  async function send(...paths: string[]) {
    const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`).join(''));
    await until('the response is held', () => memory.heldBytes() === bytes);
    return { client, socket: accepted.at(-1) };
  }

  it.each([
    ['that its client does not read', ['/']],
    ['that waits behind another', ['/stream', '/']],
  ])(
    '%s is cut off after a minute and a second for each 16 KB, and its memory released',
    async (_what, paths) => {
      const { socket } = await send(...paths);
      jest.advanceTimersByTime(timeMs - 1);
      expect(socket?.destroyed).toBe(false);
      jest.advanceTimersByTime(1);
      expect(socket?.destroyed).toBe(true);
      await until('its memory is released', () => memory.heldBytes() === 0);
    },
  );

  it('that its client takes is released at once, and its connection stays open', async () => {
    const { client, socket } = await send('/');
    client.resume();
    await until('its memory is released', () => memory.heldBytes() === 0);
    jest.advanceTimersByTime(timeMs);
    expect(socket?.destroyed).toBe(false);
  });
});
