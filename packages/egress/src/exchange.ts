import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { memoryHolder } from '@holdfast/kit/heldMemory';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import { incomingHeaders } from './incomingHeaders.ts';

export type Call = {
  origin: string;
  /** With the query; as `URL` writes it. */
  path: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string> | string[];
  body: Buffer | string | Readable | null;
  /** Total: look-up, connect, TLS, request, headers and body. */
  timeoutMs: number;
  /** Of all that comes: heads of 1xx answers, head, body, and how they are written. */
  maxResponseBytes: number;
  signal: AbortSignal | undefined;
};

export type Exchange =
  /** `isCut`: there was more than `maxResponseBytes`; `body` is what came of it until that was seen. */
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer; isCut: boolean }
  /** Before `progress` is `sent` the peer can't have seen any of the request. */
  | { ok: false; cause: 'timeout' | 'aborted' | Error; progress: Connection['progress'] };

const nothing: Buffer = Buffer.alloc(0);
const mostBlockBytes = 1024 * 1024;
/** Of each answer; what is longer is read as there is memory for it (kit/heldMemory). */
const uncountedBytes = 64 * 1024;

/** One request and its answer: sent at most once, to one origin. Never rejects. */
export function exchange(connections: Connections, call: Call): Promise<Exchange> {
  const { origin, path, method, headers, body, timeoutMs, maxResponseBytes, signal } = call;
  if (signal?.aborted) return Promise.resolve({ ok: false, cause: 'aborted', progress: 'dialling' });
  return new Promise((resolve) => {
    const connection = connections.take(origin);
    let isSettled = false;
    const settle = (outcome: Exchange, leave: (connection: Connection) => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.onRead = null;
      resolve(outcome);
      leave(connection);
    };
    const fail = (cause: 'timeout' | 'aborted' | Error) =>
      settle({ ok: false, cause, progress: connection.progress }, connections.discard);
    const onAbort = () => fail('aborted');
    const timer = setTimeout(fail, timeoutMs, 'timeout');
    signal?.addEventListener('abort', onAbort, { once: true });
    const { handler, cut } = readAnswer(maxResponseBytes, (answer) =>
      settle(answer, isReusable(answer, connection) ? connections.giveBack : connections.discard),
    );
    handler.onRequestStart = () => {
      connection.progress = 'sent';
      connection.mayDial = false;
      const { socket } = connection;
      const readBefore = socket?.bytesRead ?? 0;
      connection.onRead = () => {
        if (socket && socket.bytesRead - readBefore > maxResponseBytes && !cut())
          fail(tooMuch(maxResponseBytes));
      };
    };
    handler.onResponseError = (_controller, error) => fail(error);
    connection.client.dispatch({ path, method, headers, body, blocking: false }, handler);
  });
}

/** After an answer that came before the request was read, the rest of the request would meet the next one. */
function isReusable({ isCut }: Answer, { socket }: Connection): boolean {
  return !isCut && socket?.writableLength === 0;
}

function tooMuch(maxBytes: number): Error {
  return new Error(`more than ${maxBytes} bytes, and the head of the answer was not among them`);
}

type Answer = Extract<Exchange, { ok: true }>;

type Reading = {
  handler: Dispatcher.DispatchHandler;
  /** Takes what has come for the answer; false when that is not even its head. */
  cut(): boolean;
};

function readAnswer(maxBytes: number, done: (answer: Answer) => void): Reading {
  const body = createBody();
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  const hold = memoryHolder();
  const finish = (isCut: boolean) =>
    done({ ok: true, status, headers: incomingHeaders(headers), body: body.whole(), isCut });
  const handler: Dispatcher.DispatchHandler = {
    /** Called for each 1xx, too; the last one is the answer. */
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode;
      headers = received;
    },
    onResponseData: (controller, chunk) => {
      const sizeBytes = body.add(chunk);
      if (sizeBytes > maxBytes) return finish(true);
      const held = sizeBytes > uncountedBytes ? hold?.(chunk.length) : null;
      if (!held) return;
      controller.pause();
      void held.then(() => controller.resume());
    },
    onResponseEnd: () => finish(false),
  };
  const cut = () => {
    if (status < 200) return false;
    finish(true);
    return true;
  };
  return { handler, cut };
}

/** Not a list of chunks: a peer may send its bytes one by one, and each would cost a hundred. */
function createBody(): { add(chunk: Buffer): number; whole(): Buffer } {
  const full: Buffer[] = [];
  let block = nothing;
  let usedBytes = 0;
  let sizeBytes = 0;

  function append(chunk: Buffer): void {
    const copied = chunk.copy(block, usedBytes);
    usedBytes += copied;
    if (copied === chunk.length) return;
    full.push(block);
    block = Buffer.allocUnsafe(Math.max(Math.min(sizeBytes, mostBlockBytes), chunk.length));
    usedBytes = chunk.copy(block, 0, copied);
  }

  return {
    /** Answers how long it is by now. */
    add(chunk) {
      sizeBytes += chunk.length;
      if (block === nothing) [block, usedBytes] = [chunk, chunk.length];
      else append(chunk);
      return sizeBytes;
    },
    whole: () =>
      full.length === 0 ? block.subarray(0, usedBytes) : Buffer.concat([...full, block], sizeBytes),
  };
}
