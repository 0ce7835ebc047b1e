import type { ServerResponse } from 'node:http';
import { closeServer, http, type ListenAt, listenAt } from './http.ts';
import { asyncGauge, type Registry } from './metrics.ts';
import { reasonOf, within } from './within.ts';

/** Returns null, or the problem in one line. */
export type Check = () => string | null | Promise<string | null>;

const checkWithinMs = 3000;

export type HealthServer = { port: number; close(): Promise<void> };

/** On an internal port. `/healthz`: alive and making progress. `/readyz`: able to serve. */
export async function startHealthServer(args: {
  at: ListenAt;
  registry: Registry;
  live: Record<string, Check>;
  ready: Record<string, Check>;
}): Promise<HealthServer> {
  const { registry, live, ready } = args;
  const about = { name: 'check_up', help: '1 while a check of /healthz or /readyz passes', label: 'check' };
  asyncGauge(registry, about, async () => {
    const results = await runChecks({ ...live, ...ready });
    return Object.fromEntries(results.map(([name, problem]) => [name, problem === null ? 1 : 0]));
  });
  const server = http.createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz') void sendChecks(response, live);
    else if (path === '/readyz') void sendChecks(response, { ...live, ...ready });
    else if (path === '/metrics') void sendMetrics(response, registry);
    else response.writeHead(404).end();
  });
  const port = await listenAt(server, args.at);
  return { port, close: () => closeServer(server, checkWithinMs) };
}

async function sendChecks(response: ServerResponse, checks: Record<string, Check>): Promise<void> {
  const results = await runChecks(checks);
  const problems = Object.fromEntries(results.filter(([, problem]) => problem !== null));
  const ok = Object.keys(problems).length === 0;
  response.writeHead(ok ? 200 : 503, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(ok ? { status: 'ok' } : { status: 'failing', problems }));
}

function runChecks(checks: Record<string, Check>): Promise<(readonly [string, string | null])[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(name, check)] as const),
  );
}

async function runCheck(name: string, check: Check): Promise<string | null> {
  try {
    return await within(checkWithinMs, name, Promise.resolve(check()));
  } catch (error) {
    return reasonOf(error);
  }
}

async function sendMetrics(response: ServerResponse, registry: Registry): Promise<void> {
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
  } catch (error) {
    response.writeHead(500, { 'Content-Type': 'text/plain' }).end(reasonOf(error));
  }
}
