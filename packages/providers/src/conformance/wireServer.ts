import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '@holdfast/egress/response';
import { startTestServer } from '@holdfast/egress/testing/servers';

/** `path` includes the query; `json` is undefined if the body is not JSON. */
export type WireRequest = {
  method: string;
  path: string;
  pathname: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  json: unknown;
  body: Buffer;
  /** Aborts when the client closes the connection before the response. */
  hungUp: AbortSignal;
};

/** The pieces of a body, sent one by one; an error breaks the response off. `hungUp`: the client has closed the connection. */
export type StreamedBody = (hungUp: AbortSignal) => AsyncIterable<string | Buffer>;

export type WireResponse = { status: number; headers?: Record<string, string>; json?: unknown };

/** A response, or a way in which servers fail. `image`: a PNG of one pixel. */
export type WireReply =
  | WireResponse
  | { status: number; headers?: Record<string, string>; text: string }
  | { status: number; headers?: Record<string, string>; bytes: Buffer }
  | { status: number; headers?: Record<string, string>; stream: StreamedBody }
  | 'image'
  | 'silence'
  | 'reset'
  | 'half a body'
  | '2 MiB'
  | 'html';

/**
 * The response to a submit. With `accept...` the run is accepted and counted whatever the response; a `WireResponse` is a refusal.
 */
export type SubmitPlan =
  | 'accept'
  | 'accept, then reset'
  | 'accept, then silence'
  | 'accept, then half a body'
  | 'accept, then html'
  | 'reset'
  | 'silence'
  | WireResponse;

/** The behaviour of a fake server for the next requests. */
export type FakePlan = {
  submit: SubmitPlan;
  /** Milliseconds until a run ends; null: at `finish`. */
  endsAfterMs: number | null;
  /** Fields of the final response that replace the defaults. */
  ends: Record<string, unknown>;
};

/** The interface of every stateful fake provider. */
export type Fake<Plan> = {
  baseUrl: string;
  settings: Record<string, string>;
  /** Changes the behaviour for the next requests. */
  plan(part: Partial<Plan>): void;
  /** The ids of all accepted runs, also of those whose submit got no response. */
  accepted(): string[];
  received: WireRequest[];
  /** Ends a run and sends its callback, if requested; resolves with the statuses of the callbacks. */
  finish(id: string): Promise<number[]>;
  close(): Promise<void>;
};

/** The HTTP server of a stateful fake provider, on a loopback port. */
export type WireServer = {
  origin: string;
  received: WireRequest[];
  /** Resolves after this time; rejects once the server is closed. */
  wait(ms: number): Promise<void>;
  /** Runs `action` after this time unless the server is closed by then; null: never. */
  after(ms: number | null, action: () => Promise<unknown>): void;
  /** Sends a callback; resolves with the status of the response, rejects if the port refuses connections. */
  callBack(url: string, body: object, headers?: (body: Buffer) => Record<string, string>): Promise<number>;
  /** Resolves once a request has come in and its socket is closed again. */
  hungUp: Promise<void>;
  /** Closes every connection, also of requests without a response yet. */
  cut(): void;
  close(): Promise<void>;
};

export async function startWireServer(
  respond: (request: WireRequest) => WireReply | Promise<WireReply>,
): Promise<WireServer> {
  const received: WireRequest[] = [];
  const closing = new AbortController();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const read = await readRequest(request, hungUpOf(response));
    received.push(read);
    send(response, await respond(read), read.hungUp);
  };
  const hungUp = Promise.withResolvers<void>();
  const server = await startTestServer((request, response) => {
    response.on('close', () => hungUp.resolve());
    void serve(request, response).catch(() => response.destroy());
  });
  const wait = (ms: number) => delay(ms, undefined, { signal: closing.signal });
  return {
    origin: server.url,
    received,
    hungUp: hungUp.promise,
    wait,
    after(ms, action) {
      if (ms !== null)
        void wait(ms)
          .then(action)
          .catch(() => undefined);
    },
    async callBack(url, json, headers = () => ({})) {
      const body = Buffer.from(JSON.stringify(json));
      const sent = { 'content-type': 'application/json', ...headers(body) };
      const response = await fetch(url, { method: 'POST', headers: sent, body, signal: closing.signal });
      await response.arrayBuffer();
      return response.status;
    },
    cut: server.cut,
    close() {
      closing.abort();
      return server.close();
    },
  };
}

/** The response to a submit under a plan; `accept` starts the run. */
export function submitReply(
  plan: SubmitPlan,
  accept: () => WireResponse | Promise<WireResponse>,
): WireReply | Promise<WireReply> {
  if (typeof plan !== 'string' || plan === 'reset' || plan === 'silence') return plan;
  const accepted = accept();
  if (plan === 'accept') return accepted;
  // Its response is not sent.
  void Promise.resolve(accepted).catch(() => undefined);
  if (plan === 'accept, then reset') return 'reset';
  if (plan === 'accept, then silence') return 'silence';
  return plan === 'accept, then html' ? 'html' : 'half a body';
}

/** The run of that id. */
export function known<Run>(runs: Map<string, Run>, id: string): Run {
  const run = runs.get(id);
  if (run === undefined) throw new Error(`there is no run ${id}`);
  return run;
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function hungUpOf(response: ServerResponse): AbortSignal {
  const aborting = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) aborting.abort();
  });
  return aborting.signal;
}

async function readRequest(request: IncomingMessage, hungUp: AbortSignal): Promise<WireRequest> {
  const body = await buffer(request);
  const { method = '', url: path = '/', headers } = request;
  const { pathname, searchParams: query } = new URL(path, 'http://localhost');
  return { method, path, pathname, query, headers, json: parseJson(body.toString()), body, hungUp };
}

function send(response: ServerResponse, reply: WireReply, hungUp: AbortSignal): void {
  if (typeof reply === 'string') return inWords[reply](response);
  if ('bytes' in reply) return sendBytes(response, reply);
  if ('stream' in reply) return sendStream(response, reply, hungUp);
  const isText = 'text' in reply;
  const json = !isText && reply.json !== undefined ? JSON.stringify(reply.json) : '';
  const contentType = isText ? 'text/html' : 'application/json';
  response.writeHead(reply.status, { 'content-type': contentType, ...reply.headers });
  response.end(isText ? reply.text : json);
}

/** Chunked where the reply says so, else with its length. */
function sendBytes(
  response: ServerResponse,
  { status, headers = {}, bytes }: Extract<WireReply, { bytes: Buffer }>,
): void {
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': bytes.length };
  response.writeHead(status, { ...length, ...headers }).end(bytes);
}

function sendStream(
  response: ServerResponse,
  { status, headers = {}, stream }: Extract<WireReply, { stream: StreamedBody }>,
  hungUp: AbortSignal,
): void {
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  pipeline(Readable.from(stream(hungUp), { highWaterMark: 1 }), response, () => {});
}

const inWords: Record<Extract<WireReply, string>, (response: ServerResponse) => void> = {
  image: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(onePixel),
  silence: () => undefined,
  reset: (response) => void response.socket?.resetAndDestroy(),
  'half a body'(response) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id":"', () => response.destroy());
  },
  '2 MiB'(response) {
    const piece = Buffer.alloc(1024 * 1024, 'A');
    response.writeHead(200, { 'content-type': 'application/json' });
    pipeline(Readable.from([piece, piece]), response, () => {});
  },
  html: (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>It works!</h1></html>'),
};
