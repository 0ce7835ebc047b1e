import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** What a fault does with a request. `forward` sends it on and resolves with the service's whole response. */
export type Exchange = {
  response: ServerResponse;
  forward: () => Promise<Forwarded>;
  /** Sends the request on and the response back, as without a fault. */
  pass: () => Promise<void>;
  killGateway: () => void;
};

export type Forwarded = { status: number; headers: IncomingHttpHeaders; body: Buffer };

type Fault = (exchange: Exchange) => Promise<void> | void;

const json = { 'content-type': 'application/json' };

function errorReply(
  status: number,
  code: string,
  retryable: boolean,
  headers: Record<string, string> = {},
): Fault {
  const error = { code, message: 'The proxy says so.', retryable, request_id: 'req_proxy', details: [] };
  return ({ response }) =>
    void response.writeHead(status, { ...json, ...headers }).end(JSON.stringify({ error }));
}

const delayMs = 1000;

/** The faults that `sdk/behaviour.yaml` names. */
export const faults = {
  'cut before': ({ response }) => void response.destroy(),
  async 'cut after'({ forward, response }) {
    await forward();
    response.destroy();
  },
  async 'half a body'({ forward, response }) {
    const { status, body } = await forward();
    const half = body.subarray(0, body.length / 2);
    response.writeHead(status, { ...json, 'content-length': body.length });
    response.write(half, () => response.destroy());
  },
  async garbage({ forward, response }) {
    await forward();
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>\u0000\u0001 {"id":');
  },
  async 'JSON of a proxy'({ forward, response }) {
    await forward();
    response.writeHead(200, json).end('{"status":"ok"}');
  },
  async stall({ forward, response }) {
    const { status, body } = await forward();
    response.writeHead(status, json).write(body.subarray(0, body.length / 2));
  },
  async delay({ forward, response }) {
    const { status, body } = await forward();
    setTimeout(() => response.writeHead(status, json).end(body), delayMs);
  },
  'respond 404': errorReply(404, 'NOT_FOUND', false),
  'respond 429': errorReply(429, 'RATE_LIMITED', true, { 'retry-after': '1' }),
  'respond 500': errorReply(500, 'INTERNAL_ERROR', false),
  'respond 502 with a page': ({ response }) => void response.writeHead(502).end('<html>Bad gateway</html>'),
  'respond 503': errorReply(503, 'SERVICE_UNAVAILABLE', true, { 'retry-after': '1' }),
  'respond 503 for a month': errorReply(503, 'SERVICE_UNAVAILABLE', true, { 'retry-after': '2592000' }),
  async 'unknown status'({ forward, response }) {
    const { status, body } = await forward();
    const record = JSON.parse(body.toString()) as { completed_at?: string | null };
    const changed = record.completed_at ? record : { ...record, status: 'PAUSED' };
    response.writeHead(status, json).end(JSON.stringify(changed));
  },
  async 'unknown events'({ pass, response }) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      'event: weather\ndata: {"sun":true}\n\nevent: status\ndata: {broken\n\ndata: 7\n\n\u0001: :\n\n',
    );
    await pass();
  },
  async 'cut after one event'({ pass, response }) {
    const write = response.write.bind(response) as (chunk: Buffer) => boolean;
    // Typed as one of the overloads: the proxy writes nothing but buffers.
    response.write = ((chunk: Buffer) => {
      const isEvent = chunk.includes('\ndata: ');
      write(chunk);
      if (isEvent) setTimeout(() => response.destroy(), 50);
      return true;
    }) as typeof response.write;
    await pass();
  },
  async 'kill the gateway'({ forward, response, killGateway }) {
    await forward();
    killGateway();
    response.destroy();
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
