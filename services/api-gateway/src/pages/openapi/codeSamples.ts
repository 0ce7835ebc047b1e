import { curlOf, goOf, pythonOf, type SampleRequest, typescriptOf } from '@holdfast/domain/codeSamples';
import type { oas31 } from 'zod-openapi';
import { ndjsonType } from '../../http/ndjson.ts';
import type { ApiDocument } from './document.ts';
import { type Operation, operationsOf, requestContent, requestLines } from './operations.ts';

/** The calls of an operation with our SDKs, after `client.`; null: they have none, because another call contains it. */
type Calls = { ts: string; python: string } | null;

const id = (prefix: string) => `'${prefix}_…'`;

/** The calls by operationId. `npm run test:acceptance -- docs` checks the types of every call and runs it. */
const sdkCalls: Readonly<Record<string, Calls>> = {
  createExecution: {
    ts: "executions.create({ model: 'sandbox-text', input: { prompt: 'Hello' } })",
    python: 'executions.create("sandbox-text", {"prompt": "Hello"})',
  },
  listExecutions: {
    ts: "executions.list({ status: 'FAILED' })",
    python: 'executions.list(status="FAILED")',
  },
  estimateExecution: {
    ts: "executions.estimate({ model: 'sandbox-text', input: { prompt: 'Hello' } })",
    python: 'executions.estimate("sandbox-text", {"prompt": "Hello"})',
  },
  getExecution: same(`executions.get(${id('exec')})`),
  eraseExecution: same(`executions.erase(${id('exec')})`),
  streamExecutionEvents: same(`executions.events(${id('exec')})`),
  streamExecutionOutput: same(`executions.stream(${id('exec')})`),
  getExecutionInput: same(`executions.input(${id('exec')})`),
  getExecutionResult: same(`executions.result(${id('exec')})`),
  cancelExecution: same(`executions.cancel(${id('exec')})`),
  bulkCancelExecutions: {
    ts: "executions.bulkCancel({ filter: { status: ['PENDING'] }, dry_run: true })",
    python: 'executions.bulk_cancel({"status": ["PENDING"]}, dry_run=True)',
  },
  bulkRerunExecutions: {
    ts: "executions.bulkRerun({ filter: { status: ['COMPLETED'] }, dry_run: true })",
    python: 'executions.bulk_rerun({"status": ["COMPLETED"]}, dry_run=True)',
  },
  createExecutionToken: {
    ts: "executions.createToken('exec_…')",
    python: 'executions.create_token("exec_…")',
  },
  createBatch: {
    ts: "batches.create({ model: 'sandbox-text' })",
    python: 'batches.create(model="sandbox-text")',
  },
  listBatches: same('batches.list()'),
  getBatch: same(`batches.get(${id('bat')})`),
  addBatchItems: {
    ts: "batches.addItems('bat_…', ['a', 'b'].map((custom_id) => ({ custom_id, input: { prompt: 'Hello' } })))",
    python:
      'batches.add_items("bat_…", [{"custom_id": name, "input": {"prompt": "Hello"}} for name in ("a", "b")])',
  },
  listBatchItems: same(`batches.items(${id('bat')})`),
  sealBatch: same(`batches.seal(${id('bat')})`),
  pauseBatch: same(`batches.pause(${id('bat')})`),
  resumeBatch: {
    ts: "batches.resume('bat_…', { max_cost: '50.00' })",
    python: 'batches.resume("bat_…", max_cost="50.00")',
  },
  cancelBatch: same(`batches.cancel(${id('bat')})`),
  retryBatch: {
    ts: "batches.retry('bat_…', { status: ['failed'] })",
    python: 'batches.retry("bat_…", status=["failed"])',
  },
  eraseBatch: same(`batches.erase(${id('bat')})`),
  listModels: same('models.list()'),
  getModel: same("models.get('sandbox-text')"),
  getBalance: same('balance.get()'),
  listTransactions: same('balance.transactions()'),
  getUsage: same('usage()'),
  createUpload: null,
  confirmUpload: same(`files.confirm(${id('file')})`),
  getFile: same(`files.get(${id('file')})`),
  downloadFile: same(`files.bytes(${id('file')})`),
  getFileUrl: same(`files.url(${id('file')})`),
  deleteFile: same(`files.delete(${id('file')})`),
  createWebhookEndpoint: {
    ts: "webhooks.endpoints.create({ url: 'https://example.com/hooks' })",
    python: 'webhooks.endpoints.create("https://example.com/hooks")',
  },
  listWebhookEndpoints: same('webhooks.endpoints.list()'),
  getWebhookEndpoint: same(`webhooks.endpoints.get(${id('wh')})`),
  getWebhookEndpointActivity: same(`webhooks.endpoints.activity(${id('wh')})`),
  getWebhookEndpointBacklog: same(`webhooks.endpoints.backlog(${id('wh')})`),
  updateWebhookEndpoint: {
    ts: "webhooks.endpoints.update('wh_…', { description: 'Orders' })",
    python: 'webhooks.endpoints.update("wh_…", description="Orders")',
  },
  deleteWebhookEndpoint: same(`webhooks.endpoints.delete(${id('wh')})`),
  rotateWebhookEndpointSecret: {
    ts: "webhooks.endpoints.rotateSecret('wh_…')",
    python: 'webhooks.endpoints.rotate_secret("wh_…")',
  },
  testWebhookEndpoint: same(`webhooks.endpoints.test(${id('wh')})`),
  listWebhookEndpointDeliveries: same(`webhooks.endpoints.deliveries(${id('wh')})`),
  recoverWebhookEndpoint: same("webhooks.endpoints.recover('wh_…', '2026-03-20T00:00:00Z')"),
  listWebhookDeliveries: same(`webhooks.deliveries.list(${id('exec')})`),
  getWebhookDelivery: same(`webhooks.deliveries.get(${id('dlv')})`),
  resendWebhookDelivery: same(`webhooks.deliveries.redeliver(${id('dlv')})`),
  getWebhookSecret: same('webhooks.secret()'),
  rotateWebhookSecret: { ts: 'webhooks.rotateSecret()', python: 'webhooks.rotate_secret()' },
  listEvents: same('webhooks.events.list()'),
  getEvent: same(`webhooks.events.get(${id('evt')})`),
  listApiKeys: { ts: 'apiKeys.list()', python: 'api_keys.list()' },
  createApiKey: { ts: "apiKeys.create({ name: 'CI' })", python: 'api_keys.create("CI")' },
  rotateApiKey: { ts: "apiKeys.rotate('key_…')", python: 'api_keys.rotate("key_…")' },
  revokeApiKey: { ts: "apiKeys.revoke('key_…')", python: 'api_keys.revoke("key_…")' },
  createPortalSession: {
    ts: "portalSessions.create({ capabilities: ['executions', 'webhooks'] })",
    python: 'portal_sessions.create(["executions", "webhooks"])',
  },
  revokePortalSession: {
    ts: "portalSessions.revoke('pses_…')",
    python: 'portal_sessions.revoke("pses_…")',
  },
};

/** A call that both SDKs write alike, but for quotes. */
function same(ts: string): Calls {
  return { ts, python: ts.replaceAll("'", '"') };
}

export function addCodeSamples(document: ApiDocument): void {
  for (const item of operationsOf(document)) {
    if (!item.isEvent) item.operation['x-codeSamples'] = samplesOf(item);
  }
}

type CodeSample = { lang: string; label: string; source: string };

function samplesOf(item: Operation): CodeSample[] {
  const { operationId = '' } = item.operation;
  const calls = sdkCalls[operationId];
  if (calls === undefined)
    throw new Error(
      `${operationId} has no line in sdkCalls (codeSamples.ts): its calls with the SDKs, or null`,
    );
  const request = exampleRequest(item);
  const plain = [
    { lang: 'go', label: 'Go', source: goOf(request) },
    { lang: 'shell', label: 'curl', source: `${curlSetUp}${curlOf(request)}` },
  ];
  if (!calls) return plain;
  const { ts, python } = calls;
  return [
    { lang: 'typescript', label: 'TypeScript', source: typescriptOf(ts, isIterated(ts)) },
    { lang: 'python', label: 'Python', source: pythonOf(python, isIterated(python)) },
    ...plain,
  ];
}

const isIterated = (call: string) => /\.(list|items|events|stream|deliveries|transactions)\(/.test(call);

const curlSetUp =
  'export HOLDFAST_URL=http://127.0.0.1:8080 HOLDFAST_API_KEY=sk_…   # those of your Holdfast\n';

/** The request of the operation's example: its path and its body as JSON, if it has one. */
function exampleRequest({ method, path, operation }: Operation): SampleRequest {
  const body = requestContent(operation)?.example as unknown;
  const lines = requestLines(operation);
  const parameters = (operation.parameters ?? []) as oas31.ParameterObject[];
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${exampleOf(operation, name)}`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => exampleOf(operation, name));
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    json: lines ?? (body === undefined ? null : JSON.stringify(body)),
    ...(lines !== null && { headers: { 'Content-Type': ndjsonType } }),
  };
}

function exampleOf({ parameters = [] }: oas31.OperationObject, name: string): string {
  const found = (parameters as oas31.ParameterObject[]).find((parameter) => parameter.name === name);
  const schema = found?.schema as oas31.SchemaObject | undefined;
  return String(found?.example ?? schema?.example ?? schema?.examples?.[0] ?? `<${name}>`);
}
