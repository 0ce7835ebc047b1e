import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { startProxy } from '../proxy.ts';
import { type FaultName, type Forwarded, faults } from './faults.ts';

export const operations = ['create', 'read', 'events', 'stream', 'cancel', 'upload', 'put', 'other'] as const;
export type Operation = (typeof operations)[number];

export type PlannedFault = { on: Operation; do: FaultName; times?: number };

function operationOf({ method, url = '' }: IncomingMessage): Operation {
  const path = url.split('?')[0] ?? '';
  if (method === 'PUT') return 'put';
  if (method === 'POST' && path === '/v1/executions') return 'create';
  if (method === 'POST' && path === '/v1/files/upload') return 'upload';
  if (method === 'POST' && /^\/v1\/executions\/[^/]+\/cancel$/.test(path)) return 'cancel';
  if (method === 'GET' && /^\/v1\/executions\/[^/]+\/events$/.test(path)) return 'events';
  if (method === 'GET' && /^\/v1\/executions\/[^/]+\/stream$/.test(path)) return 'stream';
  if (method === 'GET' && /^\/v1\/executions\/[^/]+$/.test(path)) return 'read';
  return 'other';
}

/** A proxy in front of a Holdfast that does what `plan` says to the first requests of each kind, and passes the others. */
export async function startFaultProxy(
  target: string,
  plan: readonly PlannedFault[],
  killGateway: () => void,
) {
  const seen: Record<Operation, number> = Object.fromEntries(operations.map((name) => [name, 0])) as never;
  const keys = new Set<string>();
  const pending = plan.flatMap(({ times = 1, ...fault }) => Array.from({ length: times }, () => fault));

  function nextFault(operation: Operation): FaultName | null {
    const index = pending.findIndex(({ on }) => on === operation);
    return index === -1 ? null : (pending.splice(index, 1)[0]?.do ?? null);
  }

  const { url, close } = await startProxy((incoming, response) => {
    const operation = operationOf(incoming);
    seen[operation] += 1;
    const key = incoming.headers['idempotency-key'];
    if (typeof key === 'string') keys.add(key);
    const fault = nextFault(operation);
    const forward = async () => collect(await upstream(incoming));
    const pass = () => passThrough(incoming, response);
    return fault === null ? pass() : faults[fault]({ response, forward, pass, killGateway });
  });

  async function upstream(incoming: IncomingMessage, signal?: AbortSignal): Promise<IncomingMessage> {
    const { method, headers, url: path } = incoming;
    const outgoing = send(new URL(path ?? '/', target), { method, headers, ...(signal && { signal }) });
    incoming.pipe(outgoing);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  async function passThrough(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const from = await upstream(incoming, leaving.signal);
    const { 'content-length': _length, ...headers } = from.headers;
    if (!response.headersSent) response.writeHead(from.statusCode ?? 502, headers);
    for await (const chunk of from as AsyncIterable<Buffer>) {
      // Uploads pass here too.
      response.write(Buffer.from(chunk.toString('latin1').replaceAll(target, url), 'latin1'));
    }
    response.end();
  }

  return {
    url,
    seen,
    keys,
    /** The planned faults that no request has met. */
    unused: () => pending.map((fault) => `${fault.do} on ${fault.on}`),
    close,
  };
}

async function collect(response: IncomingMessage): Promise<Forwarded> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: response.statusCode ?? 502, headers: response.headers, body: Buffer.concat(chunks) };
}
