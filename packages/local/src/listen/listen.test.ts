import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { closeServer, listenAt } from '@holdfast/kit/listen';
import type { Customer } from '@holdfast/testkit/customer';
import { create } from '@holdfast/testkit/executions';
import { startReceiver, status } from '@holdfast/testkit/receiver';
import { type Stack, startStack } from '@holdfast/testkit/stack';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { homeOf, type Listener, startListener } from './testing/listener.ts';

type Endpoint = { id: string; url: string; events: string[] };

describe('npm run webhooks:listen', () => {
  let stack: Stack;
  let customer: Customer;
  let home: string;
  let listener: Listener | undefined;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());
  beforeEach(async () => {
    customer = await stack.newCustomer();
    home = homeOf({ base_url: stack.baseUrl, api_key: customer.apiKey });
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

  it('prints each delivery in a line, verified, and removes its endpoint at Ctrl-C', async () => {
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
    expect(await line('execution.failed', failed)).toContain('CONTENT_MODERATION_REJECTED');
    expect(said()).not.toContain('\u001b');
    expect(await end('SIGINT')).toBe(0);
    expect(said()).toContain(`4 deliveries received; ${endpoint?.id} is removed.`);
    expect(await endpoints()).toEqual([]);
  });

  it('--events narrows it, --verbose prints bodies, in colours where there are any', async () => {
    const { line, said } = await start(['--events', 'execution.completed', '--verbose'], {
      FORCE_COLOR: '1',
    });
    await run();
    expect(await line('✓ verified')).toContain('\u001b[32m✓ verified\u001b[39m');
    await line('\u001b[36m"status"\u001b[39m: \u001b[32m"COMPLETED"\u001b[39m');
    expect(said()).not.toContain('execution.started');
  });

  it('NO_COLOR takes the colours out', async () => {
    const { line, said } = await start(['--verbose'], { NO_COLOR: '1' });
    await run();
    await line('"status": "COMPLETED"');
    expect(said()).not.toContain('\u001b');
  });

  it('--fail answers so, --slow later, and a delivery that comes again is told from a first one', async () => {
    const { line } = await start(['--fail', '503', '--slow', '0.2', '--events', 'execution.completed']);
    const id = await run();
    expect(await line(id)).toContain('→ 503');
    expect(await line(id, 'retry, attempt 2')).toMatch(/→ 503 {2}[\d.]+ m?s$/);
  });

  it('--forward passes each on as it came, and answers what comes back', async () => {
    const app = await startReceiver();
    app.answer = status(418);
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

  it('refuses what is not signed by the secret of its endpoint', async () => {
    const { line } = await start();
    const [endpoint] = await endpoints();
    const now = String(Math.floor(Date.now() / 1000));
    const answer = await fetch(endpoint?.url ?? '', {
      method: 'POST',
      headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': now, 'x-signature-timestamp': now },
      body: '{"id":"evt_1","type":"\\u001b[2Jexecution.completed"}',
    });
    expect(answer.status).toBe(401);
    expect(await line('not verified')).toContain('X-Signature is wrong');
    expect(await line('not verified')).toContain('�[2Jexecution.completed');
  });

  it('removes what one that was killed has left, and leaves those that live alone', async () => {
    const killed = await start();
    await killed.end('SIGKILL');
    const first = await start();
    const [living] = await endpoints();
    const second = startListener([], home);
    await second.line('Listening for');
    expect(await endpoints()).toHaveLength(2);
    expect(await second.end('SIGTERM')).toBe(0);
    expect((await endpoints()).map(({ id }) => id)).toEqual([living?.id]);
    expect(await first.end('SIGTERM')).toBe(0);
  });

  it('ends when npm start does', async () => {
    const { end, said } = await start();
    rmSync(join(home, 'local.json'));
    expect(await end()).toBe(1);
    expect(said()).toContain('Holdfast has ended.');
  });
});

describe('npm run webhooks:listen without what it needs', () => {
  it('says that nothing runs', async () => {
    const { end, said } = startListener([], '/nonexistent');
    expect(await end()).toBe(1);
    expect(said()).toBe(
      'Holdfast does not run here (there is no /nonexistent/local.json): npm start in another terminal, then this again.\n',
    );
  });

  it('says that what runs does not answer', async () => {
    const { end, said } = startListener([], homeOf({ base_url: 'http://127.0.0.1:1', api_key: 'sk_x' }));
    expect(await end()).toBe(1);
    expect(said()).toBe('Holdfast does not answer at http://127.0.0.1:1: is npm start still running?\n');
  });

  it.each([
    [{ field: 'url', code: 'INVALID_URL', message: 'url must use https.' }, 'WEBHOOK_ALLOW_HTTP=true'],
    [{ field: 'events.0', code: 'INVALID_VALUE', message: 'No such event.' }, '(400): No such event.'],
  ])('says what to do when the endpoint is refused for %j', async (detail, told) => {
    const server = createServer((request, response) => {
      const isList = request.method === 'GET';
      response
        .writeHead(isList ? 200 : 400)
        .end(JSON.stringify(isList ? { endpoints: [] } : { error: { details: [detail] } }));
    });
    const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
    const { end, said } = startListener(
      [],
      homeOf({ base_url: `http://127.0.0.1:${port}`, api_key: 'sk_x' }),
    );
    expect(await end()).toBe(1);
    expect(said()).toContain(told);
    await closeServer(server);
  });
});
