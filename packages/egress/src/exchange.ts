import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { currentReservation } from '@holdfast/kit/memoryBudget';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import { incomingHeaders } from './response.ts';

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
  /** Whether the body of an answer with this head is given as a stream, as it comes; at most `maxBytes` of it. */
  streaming?: { isMeant(status: number, headers: IncomingHttpHeaders): boolean; maxBytes: number };
};

export type Exchange =
  /**
   * `isCut`: there was more than `maxResponseBytes`; `body` is what came of it until that was seen. Of a `stream` it is
   * empty. The stream fails when the time is over, the signal aborts or it grows too large; destroy it when it is not read
   * to its end.
   */
  | {
      ok: true;
      status: number;
      headers: IncomingHttpHeaders;
      body: Buffer;
      isCut: boolean;
      stream?: Readable;
    }
  /** Before `progress` is `sent` the peer can't have seen any of the request. */
  | { ok: false; cause: 'timeout' | 'aborted' | Error; progress: Connection['progress'] };

const nothing: Buffer = Buffer.alloc(0);
const mostBlockBytes = 1024 * 1024;
/** Of each answer; what is longer is read as there is memory for it (kit/memoryBudget). */
const uncountedBytes = 64 * 1024;

/** One request and its answer: sent at most once, to one origin. Never rejects. */
export function exchange(connections: Connections, call: Call): Promise<Exchange> {
  const { origin, path, method, headers, body, timeoutMs, signal } = call;
  if (signal?.aborted) return Promise.resolve({ ok: false, cause: 'aborted', progress: 'dialling' });
  return new Promise((resolve) => {
    const connection = connections.take(origin);
    let isOver = false;
    const leave = (how: (connection: Connection) => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.onRead = null;
      how(connection);
    };
    // Once it is given as a stream, the answer is settled, and what goes wrong then is for who reads it.
    const fail = (cause: 'timeout' | 'aborted' | Error) => {
      if (isOver) return;
      reading.stream()?.destroy(errorOf(cause, timeoutMs));
      resolve({ ok: false, cause, progress: connection.progress });
      leave(connections.discard);
    };
    const onAbort = () => fail('aborted');
    const timer = setTimeout(fail, timeoutMs, 'timeout');
    signal?.addEventListener('abort', onAbort, { once: true });
    const reading = readAnswer(call, {
      whole(answer) {
        if (isOver) return;
        resolve(answer);
        leave(!answer.isCut && hasSentAll(connection) ? connections.giveBack : connections.discard);
      },
      streaming: resolve,
      streamed: (isWhole) =>
        leave(isWhole && hasSentAll(connection) ? connections.giveBack : connections.discard),
    });
    const { handler } = reading;
    handler.onRequestStart = () => {
      connection.progress = 'sent';
      connection.mayDial = false;
      const { socket } = connection;
      const readBefore = socket?.bytesRead ?? 0;
      connection.onRead = () => {
        if (socket && socket.bytesRead - readBefore > reading.maxBytes() && !reading.cut())
          fail(tooMuch(reading.maxBytes()));
      };
    };
    handler.onResponseError = (_controller, error) => fail(error);
    connection.client.dispatch({ path, method, headers, body, blocking: false }, handler);
  });
}

/** After an answer that came before the request was read, the rest of the request would meet the next one. */
function hasSentAll({ socket }: Connection): boolean {
  return socket?.writableLength === 0;
}

function tooMuch(maxBytes: number): Error {
  return new Error(`more than ${maxBytes} bytes`);
}

/** What who reads a stream is given for why it ends early. */
function errorOf(cause: 'timeout' | 'aborted' | Error, timeoutMs: number): Error {
  if (cause === 'timeout') return new Error(`no complete answer within ${timeoutMs} ms`);
  return cause === 'aborted' ? new Error('aborted') : cause;
}

type Answer = Extract<Exchange, { ok: true }>;

type Reading = {
  handler: Dispatcher.DispatchHandler;
  /** Takes what has come for the answer; false when that is not even its head, or is read as a stream. */
  cut(): boolean;
  /** Null: it is read whole. */
  stream(): Readable | null;
  maxBytes(): number;
};

type Ends = {
  whole(answer: Answer): void;
  /** The head has come; the body comes by its stream. */
  streaming(answer: Answer): void;
  streamed(isWhole: boolean): void;
};

function readAnswer({ maxResponseBytes, streaming }: Call, ends: Ends): Reading {
  const body = createBody();
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let stream: Readable | null = null;
  const hold = currentReservation();
  const finish = (isCut: boolean) =>
    ends.whole({ ok: true, status, headers: incomingHeaders(headers), body: body.whole(), isCut });
  const handler: Dispatcher.DispatchHandler = {
    /** Called for each 1xx, too; the last one is the answer. */
    onResponseStart: (controller, statusCode, received) => {
      status = statusCode;
      headers = received;
      if (status < 200 || streaming === undefined) return;
      if (!streaming.isMeant(status, incomingHeaders(headers))) return;
      stream = streamOf(controller, () => ends.streamed(false));
      ends.streaming({ ok: true, status, headers, body: nothing, isCut: false, stream });
    },
    onResponseData: (controller, chunk) => {
      if (stream !== null) {
        if (!stream.push(chunk)) controller.pause();
        return;
      }
      const sizeBytes = body.add(chunk);
      if (sizeBytes > maxResponseBytes) return finish(true);
      const held = sizeBytes > uncountedBytes ? hold?.(chunk.length) : null;
      if (!held) return;
      controller.pause();
      void held.then(() => controller.resume());
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

/** `onClose`: read to its end or not, nobody reads on. */
function streamOf(controller: Dispatcher.DispatchController, onClose: () => void): Readable {
  const stream = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      onClose();
      done(error);
    },
  });
  // Nobody may be reading it when it fails.
  stream.on('error', () => {});
  return stream;
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
