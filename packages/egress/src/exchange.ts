import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { currentReservation } from '@holdfast/kit/memoryBudget';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import { incomingHeaders } from './response.ts';

export type Call = {
  origin: string;
  path: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string> | string[];
  body: Buffer | string | Readable | null;
  /** Total: look-up, connect, TLS, request, headers and body. */
  timeoutMs: number;
  /** Counts all bytes of the response: 1xx heads, head, body, and their encoding. */
  maxResponseBytes: number;
  signal: AbortSignal | undefined;
  streaming?: { isStreamed(status: number, headers: IncomingHttpHeaders): boolean; maxBytes: number };
};

export type Exchange =
  /** `isCut`: `body` is the start of a longer response. Read the `stream` to its end or destroy it. */
  | {
      ok: true;
      status: number;
      headers: IncomingHttpHeaders;
      body: Buffer;
      isCut: boolean;
      stream?: Readable;
    }
  /** Until `progress` is `sent` the peer has received nothing of the request. */
  | { ok: false; cause: 'timeout' | 'aborted' | Error; progress: Connection['progress'] };

const empty: Buffer = Buffer.alloc(0);
const maxBlockBytes = 1024 * 1024;
const uncountedBytes = 64 * 1024;

/** Sends one request, at most once, and returns its response. Never rejects. */
export function exchange(connections: Connections, call: Call): Promise<Exchange> {
  const { origin, path, method, headers, body, timeoutMs, signal } = call;
  if (signal?.aborted) return Promise.resolve({ ok: false, cause: 'aborted', progress: 'dialling' });
  return new Promise((resolve) => {
    const connection = connections.take(origin);
    let isOver = false;
    const end = (how: (connection: Connection) => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.onRead = null;
      how(connection);
    };
    // After a stream was returned this promise is resolved, and its reader gets the error.
    const fail = (cause: 'timeout' | 'aborted' | Error) => {
      if (isOver) return;
      reading.stream()?.destroy(errorOf(cause, timeoutMs));
      resolve({ ok: false, cause, progress: connection.progress });
      end(connections.discard);
    };
    const onAbort = () => fail('aborted');
    const timer = setTimeout(fail, timeoutMs, 'timeout');
    signal?.addEventListener('abort', onAbort, { once: true });
    const reading = readResponse(call, {
      whole(response) {
        if (isOver) return;
        resolve(response);
        end(!response.isCut && hasSentAll(connection) ? connections.giveBack : connections.discard);
      },
      streaming: resolve,
      streamed: (isWhole) =>
        end(isWhole && hasSentAll(connection) ? connections.giveBack : connections.discard),
    });
    const handler = Object.assign(reading.handler, {
      onRequestStart() {
        connection.progress = 'sent';
        connection.mayDial = false;
        const { socket, wire } = connection;
        wire?.expectResponse();
        const readBefore = socket?.bytesRead ?? 0;
        // Assigned where it is made, V8 would make it old, and keep this whole exchange until a major collection (ADR 0019).
        const onRead = () => {
          if (socket && socket.bytesRead - readBefore > reading.maxBytes() && !reading.cut())
            fail(tooMuch(reading.maxBytes()));
        };
        connection.onRead = onRead;
      },
      onResponseError: (_controller: unknown, error: Error) => fail(error),
    });
    connection.client.dispatch({ path, method, headers, body, blocking: false }, handler);
  });
}

/** After an early response the rest of this request would be sent before the next one. */
function hasSentAll({ socket, wire }: Connection): boolean {
  return socket?.writableLength === 0 && wire?.writableLength === 0;
}

function tooMuch(maxBytes: number): Error {
  return new Error(`more than ${maxBytes} bytes`);
}

export const timedOut = 'ETIMEDOUT';

export function errorOf(cause: 'timeout' | 'aborted' | Error, timeoutMs: number): Error {
  if (cause === 'timeout')
    return Object.assign(new Error(`no complete response within ${timeoutMs} ms`), { code: timedOut });
  return cause === 'aborted' ? new Error('aborted') : cause;
}

type Response = Extract<Exchange, { ok: true }>;

type Reading = {
  handler: Dispatcher.DispatchHandler;
  /** Returns the response received so far; false without a complete head, or when it is streamed. */
  cut(): boolean;
  stream(): Readable | null;
  maxBytes(): number;
};

type Ends = {
  whole(response: Response): void;
  streaming(response: Response): void;
  streamed(isWhole: boolean): void;
};

function readResponse({ maxResponseBytes, streaming }: Call, ends: Ends): Reading {
  const body = createBody();
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let stream: Readable | null = null;
  const reserve = currentReservation();
  const finish = (isCut: boolean) =>
    ends.whole({ ok: true, status, headers: incomingHeaders(headers), body: body.whole(), isCut });
  const handler: Dispatcher.DispatchHandler = {
    onResponseStart: (controller, statusCode, received) => {
      status = statusCode;
      headers = received;
      if (status < 200 || streaming === undefined) return;
      if (!streaming.isStreamed(status, incomingHeaders(headers))) return;
      stream = streamOf(controller, () => ends.streamed(false));
      ends.streaming({ ok: true, status, headers, body: empty, isCut: false, stream });
    },
    onResponseData: (controller, chunk) => {
      if (stream !== null) {
        if (!stream.push(chunk)) controller.pause();
        return;
      }
      const sizeBytes = body.add(chunk);
      if (sizeBytes > maxResponseBytes) return finish(true);
      const reserved = sizeBytes > uncountedBytes ? reserve?.(chunk.length) : null;
      if (!reserved) return;
      controller.pause();
      void reserved.then(() => controller.resume());
    },
    onResponseEnd: () => {
      if (stream === null) return finish(false);
      ends.streamed(true);
      stream.push(null);
    },
  };
  return {
    handler,
    cut() {
      if (status < 200 || stream !== null) return false;
      finish(true);
      return true;
    },
    stream: () => stream,
    maxBytes: () => (stream === null ? maxResponseBytes : (streaming?.maxBytes ?? maxResponseBytes)),
  };
}

function streamOf(controller: Dispatcher.DispatchController, onClose: () => void): Readable {
  const stream = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      onClose();
      done(error);
    },
  });
  stream.on('error', () => {});
  return stream;
}

/** Blocks instead of chunks: a peer that sends single bytes would make each chunk cost a hundred. */
function createBody(): { add(chunk: Buffer): number; whole(): Buffer } {
  const full: Buffer[] = [];
  let block = empty;
  let usedBytes = 0;
  let sizeBytes = 0;

  function append(chunk: Buffer): void {
    const copied = chunk.copy(block, usedBytes);
    usedBytes += copied;
    if (copied === chunk.length) return;
    full.push(block);
    block = Buffer.allocUnsafe(Math.max(Math.min(sizeBytes, maxBlockBytes), chunk.length));
    usedBytes = chunk.copy(block, 0, copied);
  }

  return {
    add(chunk) {
      sizeBytes += chunk.length;
      if (block === empty) [block, usedBytes] = [chunk, chunk.length];
      else append(chunk);
      return sizeBytes;
    },
    whole: () =>
      full.length === 0 ? block.subarray(0, usedBytes) : Buffer.concat([...full, block], sizeBytes),
  };
}
