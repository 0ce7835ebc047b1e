import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection, Connections } from './connections.ts';
import { incomingHeaders } from './incomingHeaders.ts';

export type Call = {
  origin: string;
  /** With the query; as `URL` writes it. */
  path: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string> | string[];
  body: Buffer | string | null;
  /** Total: look-up, connect, TLS, request, headers and body. */
  timeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal | undefined;
};

export type Exchange =
  /** `isCut`: there was more than `maxResponseBytes`; `body` is what came until that was seen. */
  | { ok: true; status: number; headers: IncomingHttpHeaders; body: Buffer; isCut: boolean }
  /** Before `progress` is `sent` the peer can't have seen any of the request. */
  | { ok: false; cause: 'timeout' | 'aborted' | Error; progress: Connection['progress'] };

const nothing = Buffer.alloc(0);

/** One request and its answer: sent at most once, to one origin. Never rejects. */
export function exchange(connections: Connections, call: Call): Promise<Exchange> {
  const { origin, path, method, headers, body, timeoutMs, signal } = call;
  if (signal?.aborted) return Promise.resolve({ ok: false, cause: 'aborted', progress: 'dialling' });
  return new Promise((resolve) => {
    const connection = connections.take(origin);
    let isSettled = false;
    const settle = (outcome: Exchange, leave: (connection: Connection) => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(outcome);
      leave(connection);
    };
    const fail = (cause: 'timeout' | 'aborted' | Error) =>
      settle({ ok: false, cause, progress: connection.progress }, connections.discard);
    const onAbort = () => fail('aborted');
    const timer = setTimeout(fail, timeoutMs, 'timeout');
    signal?.addEventListener('abort', onAbort, { once: true });
    const request = { path, method, headers, body, blocking: false };
    connection.client.dispatch(request, {
      onRequestStart: () => {
        connection.progress = 'sent';
        connection.mayDial = false;
      },
      onResponseError: (_controller, error) => fail(error),
      ...readAnswer(call.maxResponseBytes, (answer) =>
        settle(answer, answer.isCut ? connections.discard : connections.giveBack),
      ),
    });
  });
}

type Answer = Extract<Exchange, { ok: true }>;

function readAnswer(maxBytes: number, done: (answer: Answer) => void): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  const finish = (isCut: boolean) =>
    done({ ok: true, status, headers: incomingHeaders(headers), body: join(chunks), isCut });
  return {
    /** Called for each 1xx, too; the last one is the answer. */
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode;
      headers = received;
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) finish(true);
    },
    onResponseEnd: () => finish(false),
  };
}

function join(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? (chunks[0] ?? nothing) : Buffer.concat(chunks);
}
