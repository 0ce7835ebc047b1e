import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { servicePort } from '@holdfast/local/launch/ports';
import { homeOf, type Listener, startListener } from '@holdfast/local/listen/testing/listener';
import type { Customer } from '@holdfast/testkit/testData';
import { startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create } from '../stack/executions.ts';
import { type Stack, startStack } from '../stack/stack.ts';

type Endpoint = { id: string; url: string; events: string[]; description: string };

describe('npm run webhooks:listen', () => {
  let stack: Stack;
  let customer: Customer;
  let home: string;
  let listener: Listener | undefined;
  let webhooks_origin: string;

  beforeAll(async () => {
    webhooks_origin = `http://127.0.0.1:${await servicePort()}`;
    // As npm start does, without any settings.
    stack = await startStack({
      EGRESS_ALLOW_CIDRS: '',
      WEBHOOK_ALLOW_HTTP: 'false',
      WEBHOOK_ALLOW_ORIGINS: webhooks_origin,
    });
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    customer = await stack.newCustomer();
    home = homeOf({ base_url: stack.baseUrl, api_key: customer.apiKey, webhooks_origin });
  });
  afterEach(async () => {
    await listener?.end('SIGKILL');
    listener = undefined;
  });

  const start = async (args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
    listener = startListener(args, home, env);
    await listener.line('Listening for');
    return listener;
  };
  const endpoints = async () =>
    (await customer.api.get('/v1/webhooks/endpoints')).body['endpoints'] as Endpoint[];
  const run = (input: object = {}) => create(customer.api, 'sandbox-text', { prompt: 'x', ...input });

  it('prints each verified delivery on one line, and removes its endpoint at Ctrl-C', async () => {
    const { line, end, said } = await start();
    const [endpoint] = await endpoints();
    expect(endpoint?.events).toEqual(['execution.*', 'endpoint.*']);
    const id = await run();
    await line('execution.started', id);
    expect(await line('execution.completed', id)).toMatch(
      new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  ✓ verified  execution\\.completed  ${id}  sandbox-text  COMPLETED  0\\.01  → 200  \\d+ ms$`,
      ),
    );
    const failed = await run({ fail: 'CONTENT_MODERATION_REJECTED' });
    await line('execution.started', failed);
    expect(await line('execution.failed', failed)).toContain('CONTENT_MODERATION_REJECTED');
    expect(said()).not.toContain('\u001b');
    expect(await end('SIGINT')).toBe(0);
    expect(said()).toContain(`4 deliveries received; ${endpoint?.id} is removed.`);
    expect(await endpoints()).toEqual([]);
  });

  it('selects events with --events and prints bodies with --verbose, in colours on a terminal', async () => {
    const { line, said } = await start(['--events', 'execution.completed', '--verbose'], {
      FORCE_COLOR: '1',
    });
    await run();
    expect(await line('✓ verified')).toContain('\u001b[32m✓ verified\u001b[39m');
    await line('\u001b[36m"status"\u001b[39m: \u001b[32m"COMPLETED"\u001b[39m');
    expect(said()).not.toContain('execution.started');
  });

  it('prints no colours with NO_COLOR', async () => {
    const { line, said } = await start(['--verbose'], { NO_COLOR: '1' });
    await run();
    await line('"status": "COMPLETED"');
    expect(said()).not.toContain('\u001b');
  });

  it('responds with the status of --fail and after the time of --slow, and marks repeated deliveries', async () => {
    const { line } = await start(['--fail', '503', '--slow', '0.2', '--events', 'execution.completed']);
    const id = await run();
    expect(await line(id)).toContain('→ 503');
    expect(await line(id, 'retry, attempt 2')).toMatch(/→ 503 {2}[\d.]+ m?s$/);
  });

  it('passes each delivery on unchanged with --forward, and returns the response', async () => {
    const app = await startReceiver();
    app.respond = status(418);
    const { line, said } = await start(['--forward', app.url, '--events', 'execution.completed']);
    const id = await run();
    expect(await line(id)).toContain('→ 418');
    const [request] = app.received;
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ execution_id: id });
    expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
    expect(request?.headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
    await app.close();
    await line(id, 'retry', '→ 502', 'ECONNREFUSED');
    expect(said()).toContain(app.url);
  });

  it('refuses a delivery that is not signed with the secret of its endpoint', async () => {
    const { line } = await start();
    const [endpoint] = await endpoints();
    const now = String(Math.floor(Date.now() / 1000));
    const reply = await fetch(endpoint?.url ?? '', {
      method: 'POST',
      headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'x-signature-timestamp': now },
      body: '{"id":"evt_1","type":"\\u001b[2Jexecution.completed"}',
    });
    expect(reply.status).toBe(401);
    // A delivery of an earlier test may come before it.
    const refusal = await line('�[2Jexecution.completed');
    expect(refusal).toContain('not verified: X-Signature is wrong');
  });

  it('removes the endpoints of killed listeners, on its port and on the port of another start', async () => {
    const killed = await start();
    await killed.end('SIGKILL');
    const left = { url: 'https://example.com/', description: 'npm run webhooks:listen (999999999)' };
    await customer.api.post('/v1/webhooks/endpoints', left);
    await customer.api.post('/v1/webhooks/endpoints', { ...left, description: 'of another process' });
    expect(await endpoints()).toHaveLength(3);
    await start();
    expect((await endpoints()).map(({ url }) => url).toSorted()).toEqual([
      `${webhooks_origin}/`,
      'https://example.com/',
    ]);
  });

  it('refuses to start a second time, and does not disturb the first listener', async () => {
    const first = await start();
    const before = await endpoints();
    const { pid } = /\((?<pid>\d+)\)/.exec(before[0]?.description ?? '')?.groups ?? {};
    const { port } = new URL(webhooks_origin);
    const second = startListener([], home);
    expect(await second.end()).toBe(1);
    expect(second.said()).toBe(
      `Another npm run webhooks:listen (process ${pid}) is running, on port ${port}: end it first.\n`,
    );
    expect(await endpoints()).toEqual(before);
    await first.line('execution.completed', await run());
  });

  it('names its port if another process uses it', async () => {
    const { port } = new URL(webhooks_origin);
    const other = createServer();
    await listenAt(other, { host: '127.0.0.1', port: Number(port) });
    const { end, said } = startListener([], home);
    expect(await end()).toBe(1);
    expect(said()).toMatch(new RegExp(`^Something else listens on port ${port}, .*\n$`));
    await closeServer(other);
  });

  it('has the only port of this machine that webhooks may reach', async () => {
    const other = createServer();
    const port = await listenAt(other, { host: '127.0.0.1', port: 0 });
    for (const url of [`http://127.0.0.1:${port}/`, webhooks_origin.replace('127.0.0.1', 'localhost')]) {
      const endpoint = await customer.api.post('/v1/webhooks/endpoints', { url });
      expect(endpoint).toMatchObject({ status: 400, body: { error: { details: [{ field: 'url' }] } } });
      const body = { model: 'sandbox-text', input: { prompt: 'x' }, webhook_url: url };
      expect(await customer.api.post('/v1/executions', body)).toMatchObject({ status: 400 });
    }
    const { line } = await start();
    const body = { model: 'sandbox-text', input: { prompt: 'x' }, webhook_url: `${webhooks_origin}/mine` };
    const { body: created } = await customer.api.post('/v1/executions', body);
    // Signed by the organization's secret, not the endpoint's.
    await line('not verified', String(created['id']));
    await closeServer(other);
  });

  it('ends when npm start ends', async () => {
    const { end, said } = await start();
    rmSync(join(home, 'local.json'));
    expect(await end()).toBe(1);
    expect(said()).toContain('Holdfast has ended.');
  });
});

describe('npm run webhooks:listen', () => {
  const webhooksPort = servicePort();
  const stateOf = async (base_url: string) => {
    return { base_url, api_key: 'sk_x', webhooks_origin: `http://127.0.0.1:${await webhooksPort}` };
  };

  it('says that npm start is not running', async () => {
    const { end, said } = startListener([], '/nonexistent');
    expect(await end()).toBe(1);
    expect(said()).toBe(
      'Holdfast does not run here (there is no /nonexistent/local.json): npm start in another terminal, then this again.\n',
    );
  });

  it('says that the running npm start does not respond', async () => {
    const { end, said } = startListener([], homeOf(await stateOf('http://127.0.0.1:1')));
    expect(await end()).toBe(1);
    expect(said()).toBe('Holdfast does not respond at http://127.0.0.1:1: is npm start still running?\n');
  });

  it.each([
    [
      { field: 'url', code: 'INVALID_URL', message: 'url must use https.' },
      'a WEBHOOK_ALLOW_ORIGINS of its own',
    ],
    [{ field: 'events.0', code: 'INVALID_VALUE', message: 'No such event.' }, '(400): No such event.'],
  ])('says what to do when the endpoint is refused with %j', async (detail, advice) => {
    const server = createServer((request, response) => {
      const isList = request.method === 'GET';
      response
        .writeHead(isList ? 200 : 400)
        .end(JSON.stringify(isList ? { endpoints: [] } : { error: { details: [detail] } }));
    });
    const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
    const { end, said } = startListener([], homeOf(await stateOf(`http://127.0.0.1:${port}`)));
    expect(await end()).toBe(1);
    expect(said()).toContain(advice);
    await closeServer(server);
  });
});
