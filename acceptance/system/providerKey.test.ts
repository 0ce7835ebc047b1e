import { createServer } from 'node:http';
import { auditLedger } from '@holdfast/db/audit/audit';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { createSandbox } from '@holdfast/sandbox/server';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { create, untilStatus } from '../stack/executions.ts';
import { startStack } from '../stack/stack.ts';

/** A provider of one account with these keys. */
async function startProvider(keys: ReadonlySet<string>) {
  const app = createSandbox({ maxRunning: 100, onLostWebhook: () => {} });
  const [accepted, refused]: [string[], string[]] = [[], []];
  const server = createServer((request, response) => {
    const [, key = ''] = request.headers.authorization?.split(' ') ?? [];
    (keys.has(key) ? accepted : refused).push(`${request.method} ${request.url}`);
    if (keys.has(key)) app(request, response);
    else response.writeHead(401).end();
  });
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  return { url: `http://127.0.0.1:${port}`, accepted, refused, close: () => closeServer(server) };
}

it('the key of a provider can be replaced by another of the same account while runs are in progress', async () => {
  const keys = new Set(['the-old-key']);
  const provider = await startProvider(keys);
  const stack = await startStack({ SANDBOX_BASE_URL: provider.url, SANDBOX_API_KEY: 'the-old-key' });
  try {
    const { api } = await stack.newCustomer();
    const run = (mode: string, delayMs: number) =>
      create(api, 'sandbox-text', { prompt: 'a', mode, delay_ms: delayMs });
    const before = await Promise.all([run('sync', 2000), run('callback', 5000)]);
    await until('the provider is at both', () => provider.accepted.length >= 2);
    keys.add('the-new-key');
    await stack.services.stop('dispatcher');
    await stack.services.start('dispatcher', { SANDBOX_API_KEY: 'the-new-key' });
    keys.delete('the-old-key');
    const after = await Promise.all([run('sync', 0), run('callback', 0)]);
    for (const id of [...before, ...after]) await untilStatus(api, id, 'COMPLETED');
    expect(provider.refused).toEqual([]);
    expect(await auditLedger(stack.db)).toEqual([]);
  } finally {
    await stack.close();
    await provider.close();
  }
}, 60_000);
