import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '@holdfast/api-gateway/app';
import { siteFolder } from '@holdfast/api-gateway/pages/docs/site';
import { newId } from '@holdfast/domain/ids';
import { startWireServer, type WireReply } from '@holdfast/providers/conformance/wireServer';
import { fixture } from '@holdfast/providers/openai/testing/fixture';
import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { startHosted } from '../providers/adapters/hosted.ts';
import { at, painter, writer } from '../providers/adapters/models.ts';
import { create, eventsOf, readExecution } from '../stack/executions.ts';

const names = /replicate|open\s?ai\b|openai|\bfal\b|\bcog\b|vllm|acme[-/]|\br8_|sk-fake/i;
const said =
  'Replicate (https://api.replicate.com/v1/predictions) by way of fal.ai, OpenAI and cog at api.openai.com is out of GPUs, r8_aaaaaaaaaaaaaaaaaaaaaaaa';

let completion: WireReply = { status: 200, json: fixture('chatCompletion') };
/** What the paths name. */
let ids: Record<string, string>;

const slugs = ['drawing-one', 'drawing-two', 'words-one', 'words-two'];
const terminal = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

const openai = closing(await startWireServer(() => completion));
const hosted = await startHosted(
  [
    painter('drawing-one', [at.replicate('poll')]),
    painter('drawing-two', [at.fal('poll')]),
    writer('words-one', [at.first()]),
    writer('words-two', [{ adapter: 'openai', connection: 'openai', model: 'acme-4', mode: 'sync' }]),
    writer('words-three', [{ adapter: 'openai', connection: 'vllm', model: 'acme-4', mode: 'sync' }]),
  ],
  { OPENAI_BASE_URL: openai.origin, OPENAI_API_KEY: 'sk-fake' },
);
const customer = await hosted.stack.newCustomer();

/** Every provider's run succeeds, with a log that names them all; then it fails; then it is refused. */
const plans = [
  () => {
    hosted.replicate.plan({ logs: `${said}\n` });
    hosted.fal.plan({ logs: [said] });
    hosted.first.plan({ logs: `${said}\n` });
  },
  () => {
    hosted.replicate.plan({ ends: { status: 'failed', output: null, error: said } });
    hosted.fal.plan({ ends: { status: 422, json: { detail: said }, error: said } });
    hosted.first.plan({ ends: { status: 'failed', error: said } });
    completion = { status: 400, json: { error: { message: said, type: 'x', code: 'x' } } };
  },
  () => {
    const headers = { 'x-served-by': 'replicate' };
    hosted.replicate.plan({ create: { status: 422, headers, json: { detail: said, title: said } } });
    hosted.fal.plan({ submit: { status: 422, headers, json: { detail: said } } });
    hosted.first.plan({ submit: { status: 422, json: { detail: said } } });
    completion = { status: 403, json: { error: { message: said } } };
  },
];

async function run(slug: string): Promise<string> {
  const id = await create(customer.api, slug, { prompt: 'a' }, { webhook_url: hosted.stack.receiver.url });
  await until(`${slug} ends`, async () => terminal.includes((await readExecution(customer.api, id)).status));
  await until(`the final event of  is delivered`, () => eventsOf(hosted.stack.receiver, id).length >= 2);
  return id;
}

/** A whole response: status, headers, body. */
async function responseOf(method: string, path: string): Promise<string> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{"unknown":1}' };
  const headers = { 'content-type': 'application/json' };
  const response = await customer.api.fetch(path, { method, headers, ...body });
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

function pathsOf(path: string): string[] {
  const [, kind = ''] = /^\/v1\/(\w+(?:\/(?:endpoints|deliveries))?)/.exec(path) ?? [];
  const named = path
    .replace('{file_id}', ids['file'] ?? '')
    .replace('{slug}', slugs[0] ?? '')
    .replace('{provider}/{token}', `replicate/${'0'.repeat(64)}`);
  if (!named.includes('{id}')) return [named];
  const executions = (ids['executions'] ?? '').split(' ');
  const own = kind === 'executions' ? executions : [ids[kind] ?? newId('evt')];
  return [...own, newId('exec')].map((id) => named.replace('{id}', id));
}

function expectNoNames(what: string, text: string): void {
  const servers = [hosted.replicate.baseUrl, hosted.fal.baseUrl, hosted.first.baseUrl, openai.origin];
  const own = servers.map((url) => new URL(url).host);
  const found = names.exec(text)?.[0] ?? own.find((host) => text.includes(host));
  expect([what, found]).toEqual([what, undefined]);
}

it('no public response, event or header names a provider, whatever the provider returns', async () => {
  const { stack } = hosted;
  const { body: endpoint } = await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  const executions: string[] = [];
  for (const plan of plans) {
    plan();
    for (const slug of slugs) executions.push(await run(slug));
  }
  const records = await Promise.all(executions.map((id) => readExecution(customer.api, id)));
  expect(records.map(({ status }) => status)).toEqual([
    ...Array(4).fill('COMPLETED'),
    ...Array(8).fill('FAILED'),
  ]);
  expect(JSON.stringify(records)).not.toContain('is out of GPUs');
  const { data: events } = (await customer.api.get('/v1/events')).body as { data: { id: string }[] };
  const file = await stack.db.prisma.file.findFirstOrThrow({ where: { origin: 'output' } });
  const delivery = await stack.db.prisma.delivery.findFirstOrThrow({
    where: { endpointId: String(endpoint['id']) },
  });
  const key = await stack.db.prisma.apiKey.findFirstOrThrow();
  ids = {
    executions: executions.join(' '),
    file: file.id,
    'webhooks/endpoints': String(endpoint['id']),
    'webhooks/deliveries': delivery.id,
    events: events[0]?.id ?? '',
    'api-keys': key.id,
  };
  // The operator reads the provider's own words.
  const { body: attempts } = await stack.admin.get(`/admin/v1/executions/${executions[4]}/attempts`);
  expect(JSON.stringify(attempts)).toContain('api.replicate.com');

  const unavailable = await customer.api.post('/v1/executions', {
    model: 'words-three',
    input: { prompt: 'a' },
  });
  expectNoNames('a model without a key', JSON.stringify([...unavailable.headers, unavailable.body]));
  expect(unavailable.status).toBe(503);

  // What takes something away comes last.
  const ordered = ['GET', 'PATCH', 'PUT', 'POST', 'DELETE'].flatMap((method) =>
    endpoints.filter((one) => one.method === method),
  );
  const covered = ordered.flatMap(({ method, path }) => pathsOf(path).map((one) => [method, one] as const));
  // The documentation, once it is built, says which providers there are.
  const beforeDocs = existsSync(join(siteFolder, 'index.html')) ? [] : [['GET', '/docs'] as const];
  for (const [method, path] of [...covered, ...beforeDocs, ['GET', '/v1/nothing']] as const) {
    expectNoNames(`${method} ${path}`, await responseOf(method, path));
  }
  // The name of a webhook dialect says nothing about the provider.
  const document = await responseOf('GET', '/openapi.json');
  expectNoNames('/openapi.json', document.replaceAll(/(["`])openai\1/g, ''));
  for (const { headers, body } of stack.receiver.received) {
    expectNoNames('a webhook', JSON.stringify([headers, body]));
  }
}, 120_000);
