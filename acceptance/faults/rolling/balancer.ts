import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listenAt } from '@holdfast/kit/http';

/** A gateway behind the balancer, and its readiness check. */
export type Backend = { name: string; url: string; isReady(): Promise<boolean> };

const askEveryMs = 200;

/**
 * A load balancer with kept-alive connections that sends requests in turn to the gateways whose last `/readyz` succeeded.
 * It retries nothing, so clients see every fault behind it.
 */
export async function startBalancer() {
  const agent = new Agent({ keepAlive: true });
  const backends: (Backend & { takes: boolean })[] = [];
  const problems: string[] = [];
  const stopping = new AbortController();
  let turn = 0;

  function next() {
    const open = backends.filter(({ takes }) => takes);
    turn += 1;
    return open[turn % open.length];
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const backend = next();
    const { method, url: path = '/', headers } = request;
    if (!backend) {
      problems.push(`${method} ${path}: no gateway is ready`);
      return void response.writeHead(503).end();
    }
    const onward = send(new URL(path, backend.url), { method, headers: { ...headers }, agent });
    onward.on('response', (upstream) => {
      const { connection: _ours, 'keep-alive': _too, ...rest } = upstream.headers;
      response.writeHead(upstream.statusCode ?? 502, rest);
      upstream.on('error', () => response.destroy());
      upstream.pipe(response);
    });
    onward.on('error', (error) => {
      if (response.destroyed) return;
      problems.push(`${method} ${path} at ${backend.name}: ${error.message}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => response.writableFinished || onward.destroy());
    request.pipe(onward);
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all(
        backends.map(async (backend) => {
          backend.takes = await backend.isReady();
        }),
      );
      await delay(askEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, pass);
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  const looking = look();
  return {
    url: `http://127.0.0.1:${port}`,
    /** Requests that did not reach a gateway, or broke off there. */
    problems,
    add: (backend: Backend) => void backends.push({ ...backend, takes: false }),
    async close() {
      stopping.abort();
      await looking;
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
