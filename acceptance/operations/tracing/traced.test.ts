import { randomBytes } from 'node:crypto';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { closing } from '@holdfast/testkit/closing';
import { status } from '@holdfast/testkit/webhookReceiver';
import { expect, it } from '@jest/globals';
import { closedPort } from '../../providers/adapters/hosted.ts';
import { create as createAt, eventsOf, untilEvent, untilStatus } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { type SentSpan, startCollector } from './collector.ts';

const lines: Record<string, unknown>[] = [];

const text = { adapter: 'cog', connection: 'sandbox', model: 'sandbox-text' } as const;
const twoProviders: ModelFile = {
  slug: 'with-fallback',
  providers: [{ ...text, connection: 'nowhere' }, text],
  input_schema: { type: 'object', properties: { prompt: { type: 'string' } } },
  price: { per_run: '0.01' },
  output: { kind: 'text' },
};

const collector = closing(await startCollector());
const settings = {
  LOG_LEVEL: 'info',
  NOWHERE_BASE_URL: await closedPort(),
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
};
const stack = await stackOfTests(settings, [twoProviders], (line) => lines.push(JSON.parse(line)));
const customer = await stack.newCustomer();
await customer.api.post('/v1/webhooks/endpoints', { url: `${stack.receiver.url}?secret=in-the-url` });

const clientSpan = '00f067aa0ba902b7';
const newTrace = () => randomBytes(16).toString('hex');

const create = (
  model: string,
  input: Record<string, unknown>,
  headers: Record<string, string>,
  fields: Record<string, unknown> = {},
) => createAt(customer.api, model, input, fields, headers);

/** The spans as a tree: each name with its children, in alphabetical order. */
function treeOf(spans: SentSpan[], parent: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ service, name, spanId }) => [`${service}: ${name}`, ...treeOf(spans, spanId)]);
}

it('one trace leads from the request to the delivery, and the webhook continues it', async () => {
  const traceId = newTrace();
  const given = { traceparent: `00-${traceId}-${clientSpan}-00` };
  const id = await create('sandbox-text', { prompt: 'a', mode: 'sync' }, given);
  const { request } = await untilEvent(stack.receiver, id, 'execution.completed');
  const spans = await collector.whole(traceId, [
    'POST /v1/executions',
    'run',
    'submit sandbox',
    'keep outputs',
    'settle',
    'fan out',
    'fan out',
    'deliver webhook',
    'deliver webhook',
  ]);
  expect(treeOf(spans, clientSpan)).toEqual([
    [
      'api-gateway: POST /v1/executions',
      ['webhook-sender: deliver webhook'],
      ['webhook-sender: deliver webhook'],
      ['webhook-sender: fan out'],
      ['webhook-sender: fan out'],
      ['dispatcher: run', ['dispatcher: keep outputs'], ['dispatcher: submit sandbox']],
      ['ledger: settle'],
    ],
  ]);
  const delivered = spans.find(
    ({ name, attributes }) =>
      name === 'deliver webhook' && attributes['holdfast.event_type'] === 'execution.completed',
  );
  expect(request.headers['traceparent']).toBe(`00-${traceId}-${delivered?.spanId}-01`);
  for (const span of spans)
    expect(span.attributes).toMatchObject({
      'holdfast.execution_id': id,
      'holdfast.organization_id': customer.organizationId,
    });
  const withModel = spans.filter(({ attributes }) => attributes['holdfast.model'] === 'sandbox-text');
  expect(new Set(withModel.map(({ service }) => service)).size).toBe(4);
  const executionLines = lines.filter(({ executionId }) => executionId === id);
  expect(new Set(executionLines.map((line) => line['service'])).size).toBe(4);
  expect(executionLines.filter((line) => line['traceId'] !== traceId)).toEqual([]);
});

it('a trace includes a callback, a failure and a retried delivery', async () => {
  let refused = 0;
  stack.receiver.respond = (received, response) => {
    const isRefused = received.body.includes('execution.failed') && refused++ === 0;
    status(isRefused ? 500 : 200)(received, response);
  };
  const traceId = newTrace();
  const given = { traceparent: `00-${traceId}-${clientSpan}-01` };
  const input = { prompt: 'a', mode: 'callback', fail: 'GENERATION_FAILED' };
  const id = await create('sandbox-text', input, given);
  await untilEvent(stack.receiver, id, 'execution.failed');
  const spans = await collector.whole(traceId, [
    'POST /v1/executions',
    'run',
    'submit sandbox',
    'callback',
    'release',
    'fan out',
    'fan out',
    'deliver webhook',
    'deliver webhook',
    'deliver webhook',
  ]);
  const attempts = spans.filter(({ name }) => name === 'deliver webhook');
  expect(attempts.filter(({ isFailure }) => isFailure)).toHaveLength(1);
  expect(attempts.every(({ attributes }) => attributes['server.address'] === '127.0.0.1')).toBe(true);
  const sent = eventsOf(stack.receiver, id).map(({ request }) => request.headers['traceparent']);
  expect(new Set(sent)).toEqual(new Set(attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`)));
});

const thrice = (name: string) => [name, name, name];

it('a trace includes the attempts at each provider', async () => {
  const traceId = newTrace();
  const id = await create(
    'with-fallback',
    { prompt: 'a' },
    { traceparent: `00-${traceId}-${clientSpan}-01` },
  );
  await untilEvent(stack.receiver, id, 'execution.completed');
  const spans = await collector.whole(traceId, [
    'POST /v1/executions',
    'run',
    ...thrice('submit nowhere'),
    ...thrice('retry'),
    'submit sandbox',
    'callback',
    'keep outputs',
    'settle',
    'fan out',
    'fan out',
    'deliver webhook',
    'deliver webhook',
  ]);
  const failed = spans.filter(({ isFailure }) => isFailure).map(({ name }) => name);
  expect(failed.toSorted()).toEqual(['retry', 'retry', 'run', ...thrice('submit nowhere')]);
});

const cancel = async (id: string): Promise<void> => {
  await customer.api.post(`/v1/executions/${id}/cancel`);
};
const expire = async (id: string): Promise<void> => {
  await stack.db.prisma.execution.update({ where: { id }, data: { expiresAt: new Date() } });
};

it.each([
  ['cancelled', [], cancel],
  ['expired', ['expire'], expire],
] as const)('a trace includes the steps after an execution is %s', async (end, more, act) => {
  const traceId = newTrace();
  const input = { prompt: 'a', mode: 'callback', delay_ms: 60_000 };
  const headers = { traceparent: `00-${traceId}-${clientSpan}-01` };
  const id = await create('sandbox-text', input, headers);
  await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
  await act(id);
  await untilEvent(stack.receiver, id, `execution.${end}`);
  const spans = await collector.whole(traceId, [
    'POST /v1/executions',
    'run',
    'submit sandbox',
    ...more,
    'stop',
    'cancel sandbox',
    // The sandbox calls back when it has stopped.
    'callback',
    'fan out',
    'fan out',
    'deliver webhook',
    'deliver webhook',
  ]);
  expect(spans.filter(({ isFailure }) => isFailure)).toEqual([]);
});

it('a trace starts at the gateway without a valid traceparent', async () => {
  const id = await create('sandbox-text', { prompt: 'a' }, { traceparent: `00-${'0'.repeat(32)}-zz-01` });
  const { request } = await untilEvent(stack.receiver, id, 'execution.completed');
  const [, traceId = ''] = String(request.headers['traceparent']).split('-');
  expect(traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  const row = await stack.db.prisma.execution.findFirstOrThrow({ where: { id } });
  expect(row.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
});

it('a repeated create with the same idempotency key keeps the first trace', async () => {
  const traceId = newTrace();
  const once = { 'idempotency-key': `key-${traceId}` };
  const first = { ...once, traceparent: `00-${traceId}-${clientSpan}-01` };
  const id = await create('sandbox-text', { prompt: 'a' }, first);
  const again = { ...once, traceparent: `00-${newTrace()}-${clientSpan}-01` };
  expect(await create('sandbox-text', { prompt: 'a' }, again)).toBe(id);
  const { request } = await untilEvent(stack.receiver, id, 'execution.completed');
  expect(request.headers['traceparent']).toContain(traceId);
});

it('spans contain no secret, no input and no query', () => {
  expect(collector.requests.length).toBeGreaterThan(0);
  for (const { path, headers } of collector.requests)
    expect([path, headers['authorization']]).toEqual(['/v1/traces', 'Bearer abc']);
  const sent = JSON.stringify(collector.spans);
  for (const secret of [customer.apiKey, 'in-the-url', '/hook', 'prompt']) expect(sent).not.toContain(secret);
});
