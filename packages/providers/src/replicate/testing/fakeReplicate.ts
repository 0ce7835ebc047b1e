import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { parseJson } from '@holdfast/egress/response';
import { type FakeRun, type HttpResponse, type Plan, predictionOf } from './fakeRun.ts';
import { fixture, signed } from './fixtures.ts';

type Received = { method: string; path: string; headers: IncomingMessage['headers']; json: unknown };

/** A fake of Replicate on a loopback port, with state and signed webhooks. */
export type FakeReplicate = {
  baseUrl: string;
  apiKey: string;
  settings: Record<string, string>;
  /** Changes the behaviour for the next created runs. */
  plan(part: Partial<Plan>): void;
  /** The ids of all accepted runs, also of those whose create got no response. */
  accepted(): string[];
  run(id: string): FakeRun;
  received: Received[];
  /** Ends a run and sends its callback, if requested; resolves with the statuses of the callbacks. */
  finish(id: string): Promise<number[]>;
  /** Sends or repeats a run's webhook: late, early, forged, or with another body. Resolves with the status of the response. */
  callBack(id: string, how?: CallbackHow): Promise<number>;
  /** Replaces the signing secret. */
  rotateSecret(): void;
  close(): Promise<void>;
};

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const perPage = 100;

export async function startFakeReplicate(): Promise<FakeReplicate> {
  const apiKey = `r8_${randomBytes(18).toString('hex')}`;
  let secret = newWebhookSecret();
  const runs = new Map<string, FakeRun>();
  const received: Received[] = [];
  const closing = new AbortController();
  const server = createServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  let plan = defaultPlan(baseUrl);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = request;
    const { pathname, searchParams } = new URL(url, baseUrl);
    const path = pathname.replace(/^\/v1/, '');
    const json = parseJson((await bodyOf(request)).toString());
    if (path.startsWith('/files/')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(onePixel);
      return;
    }
    received.push({ method, path: url, headers, json });
    if (headers.authorization !== `Bearer ${apiKey}`) return sendProblem(response, 'unauthenticated', 401);
    if (path === '/webhooks/default/secret') return send(response, { status: 200, json: { key: secret } });
    if (method === 'POST' && /^(\/models\/[^/]+\/[^/]+)?\/predictions$/.test(path)) {
      return create(response, path, headers['cancel-after']?.toString() ?? null, json);
    }
    if (method === 'GET' && path === '/predictions')
      return send(response, list(runs.values(), searchParams, baseUrl));
    const [, id = '', about = ''] = /^\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const run = runs.get(id);
    if (run === undefined) return sendProblem(response, 'notFound', 404);
    if (method === 'POST' && about !== '' && run.state !== 'ended') run.state = 'canceled';
    send(response, { status: 200, json: predictionOf(run, baseUrl) });
    if (run.state === 'starting') run.state = 'processing';
  }

  function create(response: ServerResponse, path: string, cancelAfter: string | null, json: unknown): void {
    const { create: how, endsAfterMs } = plan;
    if (typeof how !== 'string') return send(response, how);
    if (how === 'silence') return;
    if (how === 'reset') return void response.socket?.resetAndDestroy();
    const id = randomBytes(13).toString('hex');
    const body = json as FakeRun['body'];
    const run: FakeRun = { id, path, body, createdAt: new Date(), cancelAfter, state: 'starting', plan };
    runs.set(run.id, run);
    if (endsAfterMs !== null) {
      void delay(endsAfterMs, undefined, { signal: closing.signal }).then(
        () => finish(run.id),
        () => undefined,
      );
    }
    replyToCreate(response, how, predictionOf(run, baseUrl));
  }

  async function finish(id: string): Promise<number[]> {
    const run = find(id);
    if (run.state !== 'canceled') run.state = 'ended';
    if (run.body.webhook === undefined || !run.plan.callsBack || run.state === 'canceled') return [];
    return await callBack(id).then(
      (status) => [status],
      () => [],
    );
  }

  async function callBack(id: string, how?: CallbackHow): Promise<number> {
    return await sendCallback(find(id), { baseUrl, secret, signal: closing.signal }, how);
  }

  function find(id: string): FakeRun {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run;
  }

  return {
    baseUrl,
    apiKey,
    settings: {},
    received,
    plan(part) {
      plan = { ...plan, ...part };
    },
    accepted: () => [...runs.keys()],
    run: find,
    finish,
    callBack,
    rotateSecret() {
      secret = newWebhookSecret();
    },
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const defaultPlan = (baseUrl: string): Plan => ({
  create: 'accept',
  endsAfterMs: 0,
  ends: { output: [`${baseUrl}/files/1.png`] },
  callsBack: true,
  logs: 'Using seed: 42\n',
});

/** Newest first, page by page. */
function list(runs: Iterable<FakeRun>, query: URLSearchParams, baseUrl: string): HttpResponse {
  const since = Date.parse(query.get('created_after') ?? '1970-01-01');
  const from = Number(query.get('cursor') ?? 0);
  const found = [...runs].toReversed().filter(({ createdAt }) => createdAt.getTime() >= since);
  const next = new URLSearchParams({ ...Object.fromEntries(query), cursor: String(from + perPage) });
  return {
    status: 200,
    json: {
      previous: null,
      next: found.length > from + perPage ? `${baseUrl}/predictions?${next.toString()}` : null,
      results: found.slice(from, from + perPage).map((run) => predictionOf(run, baseUrl)),
    },
  };
}

function replyToCreate(response: ServerResponse, how: Plan['create'], json: object): void {
  if (how === 'accept') send(response, { status: 201, json });
  else if (how === 'accept, then html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  else if (how === 'accept, then reset') response.socket?.resetAndDestroy();
  else if (how === 'accept, then half a body') {
    response.writeHead(201, { 'content-length': '500' }).write('{"id":"', () => response.destroy());
  }
}

type CallbackHow = { forged?: boolean; atS?: number; body?: object };

async function sendCallback(
  run: FakeRun,
  { baseUrl, secret, signal }: { baseUrl: string; secret: string; signal: AbortSignal },
  how: CallbackHow = {},
): Promise<number> {
  const body = Buffer.from(JSON.stringify(how.body ?? predictionOf(run, baseUrl)));
  const atS = how.atS ?? Math.floor(Date.now() / 1000);
  const signing = { secret: how.forged ? newWebhookSecret() : secret, id: `msg_${run.id}`, atS };
  if (run.body.webhook === undefined) throw new Error('the run has no webhook');
  const response = await fetch(run.body.webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed(body, signing) },
    body,
    signal,
  });
  await response.arrayBuffer();
  return response.status;
}

function sendProblem(response: ServerResponse, name: string, status: number): void {
  send(response, { status, json: fixture('problems')[name] });
}

function send(response: ServerResponse, { status, headers, json }: HttpResponse): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(json ?? {}));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
