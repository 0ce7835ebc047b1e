import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../parseJson.ts';

/** `json` is undefined, where the body is none; `body` is its bytes. */
export type WireRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  json: unknown;
  body: Buffer;
};

export type WireAnswer = { status: number; headers?: Record<string, string>; json?: unknown };

/** How servers answer, and how they go wrong. */
export type WireReply = WireAnswer | 'silence' | 'reset' | 'half a body' | 'html';

/**
 * What a submit gets. All that begin with `accept` are accepted and counted, whatever comes back; an answer is a refusal.
 */
export type SubmitPlan =
  | 'accept'
  | 'accept, then reset'
  | 'accept, then silence'
  | 'accept, then half a body'
  | 'accept, then html'
  | 'reset'
  | 'silence'
  | WireAnswer;

/** How every fake deals with what is sent from now on. */
export type FakePlan = {
  submit: SubmitPlan;
  /** Milliseconds until a run ends; null: when `finish` says so. */
  endsAfterMs: number | null;
  /** What its answer holds then, in place of the usual. */
  ends: Record<string, unknown>;
};

/** What every stateful counterpart of an adapter has. */
export type Fake<Plan> = {
  baseUrl: string;
  settings: Record<string, string>;
  /** How it deals with what is sent from now on. */
  plan(part: Partial<Plan>): void;
  /** The ids of all runs that it took on, also of those whose submit never got its answer. */
  accepted(): string[];
  received: WireRequest[];
  /** Ends a run, and calls back where that was asked for; resolves with the statuses of the callbacks. */
  finish(id: string): Promise<number[]>;
  close(): Promise<void>;
};

/** A stateful counterpart's side of real HTTP on a loopback port. */
export type WireServer = {
  origin: string;
  received: WireRequest[];
  /** Resolves after that time; rejects once the server is closed. */
  wait(ms: number): Promise<void>;
  close(): Promise<void>;
};

export async function startWireServer(
  answer: (request: WireRequest) => WireReply | Promise<WireReply>,
): Promise<WireServer> {
  const received: WireRequest[] = [];
  const closing = new AbortController();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const read = await readRequest(request);
    received.push(read);
    send(response, await answer(read));
  };
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  return {
    origin: await listen(server),
    received,
    wait: (ms) => delay(ms, undefined, { signal: closing.signal }),
    async close() {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** What a submit is answered by its plan; `accept` takes the run on. */
export function submitReply(
  plan: SubmitPlan,
  accept: () => WireAnswer | Promise<WireAnswer>,
): WireReply | Promise<WireReply> {
  if (typeof plan !== 'string' || plan === 'reset' || plan === 'silence') return plan;
  const accepted = accept();
  if (plan === 'accept') return accepted;
  // Nobody waits for what it would have said.
  void Promise.resolve(accepted).catch(() => undefined);
  if (plan === 'accept, then reset') return 'reset';
  if (plan === 'accept, then silence') return 'silence';
  return plan === 'accept, then html' ? 'html' : 'half a body';
}

/** Calls back as a provider does; resolves with the status of the answer, none where nobody is there. */
export async function callBack(
  url: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const sent = { 'content-type': 'application/json', ...headers };
  try {
    const answer = await fetch(url, { method: 'POST', headers: sent, body });
    await answer.arrayBuffer();
    return [answer.status];
  } catch {
    return [];
  }
}

/** The run of that id. */
export function known<Run>(runs: Map<string, Run>, id: string): Run {
  const run = runs.get(id);
  if (run === undefined) throw new Error(`there is no run ${id}`);
  return run;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readRequest(request: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { method = '', url = '/', headers } = request;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return { method, path: pathname, query: searchParams, headers, json: parseJson(body), body };
}

function send(response: ServerResponse, reply: WireReply): void {
  if (reply === 'silence') return;
  if (reply === 'reset') {
    response.socket?.resetAndDestroy();
  } else if (reply === 'half a body') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id":"', () => response.destroy());
  } else if (reply === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>It works!</h1></html>');
  } else {
    const { status, headers, json } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(json === undefined ? '' : JSON.stringify(json));
  }
}
