import type { ApiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { expect } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';

type Make = (api: ApiClient, receiver: string) => Promise<string>;

/** What the samples of an operation need, print and do. */
type Expected = {
  /** Makes what the sample names, or what a list must contain, and returns its id. Anew for each language: samples change it. */
  make?: Make;
  /** Printed in any language: `status: 'X'`, `status='X'` and `"status":"X"` all match /status\W+X/. By default the id. */
  prints?: (id: string) => RegExp;
  /** Fails unless the API shows what the sample did. */
  leaves?: (api: ApiClient, id: string) => Promise<void>;
};

const prompt = { prompt: 'Hello' };

/** The fields of a response as text. @throws if it is an error */
async function posted(api: ApiClient, path: string, body?: unknown): Promise<Record<string, string>> {
  const { status, body: fields } = await api.post(path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(fields)}`);
  return fields as Record<string, string>;
}

const idOf = async (made: Promise<Record<string, string>>) => (await made)['id'] ?? '';

const newEndpoint = (api: ApiClient, url: string) => idOf(posted(api, '/v1/webhooks/endpoints', { url }));
const newKey = (api: ApiClient) => idOf(posted(api, '/v1/api-keys', { name: 'Sample', scopes: ['balance'] }));
const newSession = (api: ApiClient) =>
  idOf(posted(api, '/v1/portal-sessions', { capabilities: ['executions'] }));

async function ended(api: ApiClient, status: string, input: object = {}): Promise<string> {
  const id = await create(api, 'sandbox-text', { ...prompt, ...input });
  await untilStatus(api, id, status);
  return id;
}

const completed = (api: ApiClient) => ended(api, 'COMPLETED');

async function newFile(api: ApiClient, isConfirmed: boolean): Promise<string> {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    'base64',
  );
  const asked = { filename: 'dot.png', content_type: 'image/png', size_bytes: bytes.length };
  const { file_id: id = '', upload_url: url = '' } = await posted(api, '/v1/files/upload', asked);
  await fetch(url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
  if (isConfirmed) await posted(api, '/v1/files/confirm', { file_id: id });
  return id;
}

async function newEvent(api: ApiClient): Promise<string> {
  const execution = await completed(api);
  const isRight = (one: Record<string, string>) =>
    one['execution_id'] === execution && one['type'] === 'execution.completed';
  return await firstOf(api, '/v1/events?order=desc', 'data', isRight);
}

/** With one item that waits; `settings` are the batch's. */
async function newBatch(api: ApiClient, settings: object = {}): Promise<string> {
  const id = await idOf(posted(api, '/v1/batches', { model: 'sandbox-text', ...settings }));
  await posted(api, `/v1/batches/${id}/items`, { custom_id: 'first', input: prompt });
  return id;
}

/** The id of the batch once it has this status. */
async function sealedBatch(api: ApiClient, status: string, settings: object = {}): Promise<string> {
  const id = await newBatch(api, settings);
  await posted(api, `/v1/batches/${id}/seal`);
  const read = () => api.get(`/v1/batches/${id}`);
  await until(`${id} is ${status}`, async () => (await read()).body['status'] === status);
  return id;
}

const pausedBatch = (api: ApiClient) => sealedBatch(api, 'paused', { max_cost: '0' });
const endedBatch = (api: ApiClient) => sealedBatch(api, 'completed');

/** The id of the first that is right in a list, once there is one. */
const firstOf = (
  api: ApiClient,
  path: string,
  name: string,
  isRight: (one: Record<string, string>) => boolean = () => true,
) =>
  until(`${path} has it`, async () => {
    const { body } = await api.get(path);
    return (body[name] as Record<string, string>[]).find(isRight)?.['id'];
  });

async function field(api: ApiClient, delivery: string, name: string): Promise<string> {
  return String((await api.get(`/v1/webhooks/deliveries/${delivery}`)).body[name]);
}

/** A delivery of an execution of its own, which no other sample erases, to an endpoint of its own; it is delivered. */
async function newDelivery(api: ApiClient, receiver: string): Promise<string> {
  const endpoint = await newEndpoint(api, receiver);
  const execution = await completed(api);
  const isOwn = (one: Record<string, string>) => one['execution_id'] === execution;
  const id = await firstOf(api, `/v1/webhooks/endpoints/${endpoint}/deliveries`, 'deliveries', isOwn);
  await until(`${id} is delivered`, async () => (await field(api, id, 'status')) === 'delivered');
  return id;
}

const statusOf = async (api: ApiClient, path: string) => (await api.get(path)).status;

/** By operationId. */
export const operations: Readonly<Record<string, Expected>> = {
  createExecution: { prints: () => /id\W+exec_\S+[^]*status\W+PENDING/ },
  listExecutions: { make: (api) => ended(api, 'FAILED', { fail: 'GENERATION_FAILED' }) },
  estimateExecution: { prints: () => /estimated_cost\W+(Decimal\W+)?0\.\d/ },
  getExecution: { make: completed, prints: (id) => new RegExp(`${id}[^]*status\\W+COMPLETED`) },
  eraseExecution: {
    make: completed,
    leaves: async (api, id) => expect(await statusOf(api, `/v1/executions/${id}/result`)).toBe(410),
  },
  streamExecutionEvents: {
    make: completed,
    prints: (id) => new RegExp(`COMPLETED[^]*${id}|${id}[^]*COMPLETED`),
  },
  streamExecutionOutput: { make: completed, prints: () => /Hello/ },
  getExecutionInput: { make: completed, prints: (id) => new RegExp(`${id}[^]*prompt\\W`) },
  getExecutionResult: { make: completed, prints: (id) => new RegExp(`${id}[^]*text\\W`) },
  cancelExecution: {
    make: (api) => create(api, 'sandbox-text', { ...prompt, delay_ms: 50_000 }),
    leaves: async (api, id) => void (await untilStatus(api, id, 'CANCELLED')),
  },
  bulkCancelExecutions: {
    make: (api) => create(api, 'sandbox-text', { ...prompt, delay_ms: 50_000 }),
    prints: () => /matched\W+\d/,
  },
  bulkRerunExecutions: { make: completed, prints: () => /matched\W+\d/ },
  createExecutionToken: { make: completed, prints: (id) => new RegExp(`token\\W+ext_[^]*${id}`) },
  createBatch: { prints: () => /id\W+bat_\S+[^]*status\W+open/ },
  listBatches: { make: (api) => newBatch(api) },
  getBatch: { make: (api) => newBatch(api) },
  addBatchItems: { make: (api) => newBatch(api), prints: () => /accepted\W+2/ },
  listBatchItems: { make: (api) => newBatch(api), prints: () => /custom_id\W+first/ },
  sealBatch: { make: (api) => newBatch(api), prints: (id) => new RegExp(`${id}[^]*status\\W+running`) },
  pauseBatch: { make: pausedBatch, prints: () => /status\W+paused/ },
  resumeBatch: { make: pausedBatch, prints: () => /status\W+running[^]*max_cost\W+50/ },
  cancelBatch: { make: (api) => newBatch(api), prints: () => /ends_as\W+cancelled/ },
  retryBatch: { make: endedBatch, prints: () => /retried\W+0/ },
  eraseBatch: {
    make: endedBatch,
    leaves: async (api, id) => {
      const { body } = await api.get(`/v1/batches/${id}`);
      expect(body['erased_at']).not.toBeNull();
      expect(await statusOf(api, `/v1/files/${String(body['output_file_id'])}`)).toBe(404);
    },
  },
  listModels: { prints: () => /sandbox-image[^]*sandbox-text/ },
  getModel: { prints: () => /slug\W+sandbox-(text|image)/ },
  getBalance: { prints: () => /available\W+(Decimal\W+)?\d+\.\d+[^]*currency\W+USD/ },
  listTransactions: { prints: () => /kind\W+settle[^]*execution_id\W+exec_/ },
  getUsage: { make: completed, prints: () => /model\W+sandbox-text/ },
  createUpload: { prints: () => /file_id\W+file_[^]*upload_url\W+http/ },
  confirmUpload: {
    make: (api) => newFile(api, false),
    prints: (id) => new RegExp(`${id}[^]*status\\W+ready`),
  },
  getFile: { make: (api) => newFile(api, true), prints: (id) => new RegExp(`${id}[^]*dot\\.png`) },
  downloadFile: { make: (api) => newFile(api, true), prints: () => /PNG|137, 80, 78, 71|89 50 4e 47/ },
  getFileUrl: { make: (api) => newFile(api, true), prints: (id) => new RegExp(`${id}[^]*http`) },
  deleteFile: {
    make: (api) => newFile(api, true),
    leaves: async (api, id) => expect(await statusOf(api, `/v1/files/${id}`)).toBe(404),
  },
  createWebhookEndpoint: { prints: () => /id\W+wh_[^]*secret\W+whsec_/ },
  listWebhookEndpoints: { make: newEndpoint },
  getWebhookEndpoint: { make: newEndpoint },
  getWebhookEndpointActivity: { make: newEndpoint, prints: () => /hours[^]*succeeded\W+0/ },
  getWebhookEndpointBacklog: { make: newEndpoint, prints: () => /waiting\W+\d/ },
  updateWebhookEndpoint: { make: newEndpoint, prints: () => /description\W+(Orders|Production)/ },
  deleteWebhookEndpoint: {
    make: newEndpoint,
    leaves: async (api, id) => expect(await statusOf(api, `/v1/webhooks/endpoints/${id}`)).toBe(404),
  },
  rotateWebhookEndpointSecret: {
    make: newEndpoint,
    prints: () => /secret\W+whsec_[^]*previous_secret_valid_until\W+/,
  },
  testWebhookEndpoint: { make: newEndpoint, prints: () => /success\W+true[^]*status_code\W+200/i },
  listWebhookEndpointDeliveries: {
    make: async (api, receiver) => await field(api, await newDelivery(api, receiver), 'endpoint_id'),
    prints: (id) => new RegExp(`dlv_[^]*${id}`),
  },
  recoverWebhookEndpoint: { make: newEndpoint, prints: () => /redelivered\W+0/ },
  listWebhookDeliveries: {
    make: async (api, receiver) => await field(api, await newDelivery(api, receiver), 'execution_id'),
    prints: (id) => new RegExp(`dlv_[^]*${id}`),
  },
  getWebhookDelivery: { make: newDelivery, prints: (id) => new RegExp(`${id}[^]*status\\W+delivered`) },
  resendWebhookDelivery: {
    make: newDelivery,
    prints: (id) => new RegExp(`${id}[^]*status\\W+pending`),
  },
  getWebhookSecret: { prints: () => /secret\W+whsec_/ },
  rotateWebhookSecret: { prints: () => /secret\W+whsec_[^]*previous_secret_valid_until/ },
  listEvents: { make: newEvent },
  getEvent: { make: newEvent, prints: (id) => new RegExp(`${id}[^]*execution\\.completed`) },
  listApiKeys: { make: newKey },
  createApiKey: { prints: () => /id\W+key_[^]*key\W+sk_/ },
  rotateApiKey: { make: newKey, prints: () => /key\W+sk_\w{64}_\w{8}/ },
  revokeApiKey: {
    make: newKey,
    leaves: async (api, id) => {
      const { data } = (await api.get('/v1/api-keys')).body as { data: { id: string; is_active: boolean }[] };
      expect(data.find((key) => key.id === id)?.is_active ?? false).toBe(false);
    },
  },
  createPortalSession: { prints: () => /id\W+pses_[^]*url\W+http/ },
  revokePortalSession: { make: newSession, prints: (id) => new RegExp(`${id}[^]*revoked\\W+true`, 'i') },
};

const placeholder = /\b(?:exec|bat|file|wh|dlv|evt|key|pses)_(?:…|01981e9[\da-f-]+)/g;

/** The sample as a reader completes it: with the id, the URL and the key of their own. */
export function completedSample(source: string, id: string, url: string, key: string): string {
  return source.replaceAll(placeholder, id).replace('http://127.0.0.1:8080', url).replace('sk_…', key);
}
