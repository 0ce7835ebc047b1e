import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@holdfast/egress/response';
import type { Received } from '../../conformance/fakeServer.ts';
import {
  cancelResponse,
  type FakeRun,
  type HttpResponse,
  type Plan,
  resultResponse,
  statusResponse,
  submitResponseOf,
  webhookBody,
} from './fakeRun.ts';
import { onePixel, pictures } from './fixtures.ts';
import { createSigner, type Signer } from './signer.ts';

/** A fake of fal's queue on a loopback port, with state and signed webhooks. */
export type FakeFal = {
  baseUrl: string;
  apiKey: string;
  settings: Record<string, string>;
  /** Changes the behaviour for the next submitted runs. */
  plan(part: Partial<Plan>): void;
  /** The ids of all accepted runs, also of those whose submit got no response. */
  accepted(): string[];
  run(id: string): FakeRun;
  received: Received[];
  /** Ends a run and sends its callback, if requested; resolves with the statuses of the callbacks. */
  finish(id: string): Promise<number[]>;
  /** Sends or repeats a run's webhook: late, early, forged, or with another body. Resolves with the status of the response. */
  callBack(id: string, how?: CallBack): Promise<number>;
  close(): Promise<void>;
};

type CallBack = { forged?: boolean; atS?: number; body?: object };

type Queue = {
  baseUrl: string;
  apiKey: string;
  plan: Plan;
  runs: Map<string, FakeRun>;
  received: Received[];
  signers: Record<'own' | 'forger', Signer>;
  closing: AbortSignal;
};

export async function startFakeFal(): Promise<FakeFal> {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    void handle(queue, request, response).catch(() => response.destroy());
  });
  const queue = createQueue(await listen(server), closing.signal);
  const { baseUrl, apiKey, runs, received } = queue;
  return {
    baseUrl,
    apiKey,
    settings: { JWKS_URL: `${baseUrl}/.well-known/jwks.json` },
    received,
    plan(part) {
      queue.plan = { ...queue.plan, ...part };
    },
    accepted: () => [...runs.keys()],
    run: (id) => find(queue, id),
    finish: (id) => finish(queue, find(queue, id)),
    callBack: (id, how = {}) => callBack(queue, find(queue, id), how),
    async close() {
      closing.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createQueue(baseUrl: string, closing: AbortSignal): Queue {
  return {
    baseUrl,
    apiKey: `${randomUUID()}:${randomUUID()}`,
    plan: {
      submit: 'accept',
      endsAfterMs: 0,
      ends: { status: 200, json: pictures(baseUrl) },
      callsBack: true,
      isWrapped: false,
      logs: ['Done.'],
    },
    runs: new Map(),
    received: [],
    signers: { own: createSigner(), forger: createSigner() },
    closing,
  };
}

async function handle(queue: Queue, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', headers, url = '/' } = request;
  const { pathname, searchParams } = new URL(url, queue.baseUrl);
  const json = parseJson((await bodyOf(request)).toString());
  if (pathname === '/.well-known/jwks.json')
    return send(response, { status: 200, json: queue.signers.own.jwks() });
  if (pathname.startsWith('/files/')) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(onePixel);
    return;
  }
  queue.received.push({ method, path: url, headers, json });
  if (headers.authorization !== `Key ${queue.apiKey}`) {
    return send(response, { status: 401, json: { detail: 'Cannot access application' } });
  }
  if (method === 'POST') {
    return submit(queue, response, {
      path: pathname.slice(1),
      webhook: searchParams.get('fal_webhook'),
      input: json,
    });
  }
  const [, id = '', about = ''] = /\/requests\/([^/]+)(\/status|\/cancel)?$/.exec(pathname) ?? [];
  const run = queue.runs.get(id);
  if (!run) return send(response, { status: 404, json: { detail: 'Request not found' } });
  if (method === 'PUT' && about === '/cancel') return send(response, cancelResponse(run));
  if (about === '') return send(response, resultResponse(run));
  send(response, statusResponse(run, searchParams.get('logs') === '1'));
  if (run.state === 'IN_QUEUE') run.state = 'IN_PROGRESS';
}

function submit(
  queue: Queue,
  response: ServerResponse,
  request: Pick<FakeRun, 'path' | 'webhook' | 'input'>,
): void {
  const { baseUrl, plan, runs, closing } = queue;
  const { submit: how, endsAfterMs } = plan;
  if (typeof how !== 'string') return send(response, how);
  if (how === 'silence') return;
  if (how === 'reset') return void response.socket?.resetAndDestroy();
  const run: FakeRun = { ...request, id: randomUUID(), state: 'IN_QUEUE', isCancelled: false, plan };
  runs.set(run.id, run);
  if (endsAfterMs !== null) {
    void sleep(endsAfterMs, undefined, { signal: closing })
      .then(() => finish(queue, run))
      .catch(() => []);
  }
  if (how === 'accept') return send(response, submitResponseOf(run, baseUrl));
  if (how === 'accept, then reset') return void response.socket?.resetAndDestroy();
  if (how === 'accept, then html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  if (how === 'accept, then half a body') {
    response.writeHead(200, { 'content-length': '500' }).write('{"request_id":"', () => response.destroy());
  }
}

async function finish(queue: Queue, run: FakeRun): Promise<number[]> {
  run.state = 'COMPLETED';
  if (run.webhook === null || !run.plan.callsBack || run.isCancelled) return [];
  const status = await callBack(queue, run, {}).catch(() => null);
  return status === null ? [] : [status];
}

async function callBack({ signers, closing }: Queue, run: FakeRun, how: CallBack): Promise<number> {
  if (run.webhook === null) throw new Error('the run has no webhook');
  const body = Buffer.from(JSON.stringify(how.body ?? webhookBody(run)));
  const atS = how.atS ?? Math.floor(Date.now() / 1000);
  const signed = signers[how.forged ? 'forger' : 'own'].headers(body, { requestId: run.id, atS });
  const headers = { 'content-type': 'application/json', ...signed };
  const response = await fetch(run.webhook, { method: 'POST', headers, body, signal: closing });
  await response.arrayBuffer();
  return response.status;
}

function find({ runs }: Queue, id: string): FakeRun {
  const run = runs.get(id);
  if (!run) throw new Error(`there is no run ${id}`);
  return run;
}

function send(response: ServerResponse, { status, headers, json }: HttpResponse): void {
  const common = { 'content-type': 'application/json', 'x-fal-request-id': randomUUID() };
  response.writeHead(status, { ...common, ...headers }).end(JSON.stringify(json ?? {}));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
