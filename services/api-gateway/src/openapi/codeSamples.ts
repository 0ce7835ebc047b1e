import type { oas31 } from 'zod-openapi';
import type { ApiDocument } from './document.ts';
import { type Operation, operationsOf, requestContent } from './operations.ts';

/** The call of an operation with our SDKs, after `client.`; null where an SDK has none, because another call contains it. */
type Calls = { ts: string; python: string | null } | null;

const id = (prefix: string) => `'${prefix}_…'`;

/** By operationId. A test requires that every call exists. */
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
  getExecutionResult: same(`executions.result(${id('exec')})`),
  cancelExecution: same(`executions.cancel(${id('exec')})`),
  createExecutionToken: { ts: "executions.createToken('exec_…')", python: null },
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
  createWebhookEndpoint: {
    ts: "webhooks.endpoints.create({ url: 'https://example.com/hooks' })",
    python: 'webhooks.endpoints.create("https://example.com/hooks")',
  },
  listWebhookEndpoints: same('webhooks.endpoints.list()'),
  getWebhookEndpoint: same(`webhooks.endpoints.get(${id('wh')})`),
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
  createPortalSession: null,
  revokePortalSession: null,
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
  const calls = sdkCalls[item.operation.operationId ?? ''];
  const plain = [
    { lang: 'go', label: 'Go', source: goOf(item) },
    { lang: 'shell', label: 'curl', source: curlOf(item) },
  ];
  if (!calls) return plain;
  return [
    { lang: 'typescript', label: 'TypeScript', source: typescriptOf(calls.ts) },
    ...(calls.python === null ? [] : [{ lang: 'python', label: 'Python', source: pythonOf(calls.python) }]),
    ...plain,
  ];
}

const isIterated = (call: string) => /\.(list|events|deliveries|transactions)\(/.test(call);

function typescriptOf(call: string): string {
  const use = isIterated(call)
    ? `for await (const item of client.${call}) console.log(item);`
    : `console.log(await client.${call});`;
  return `import { Holdfast } from '@holdfast/sdk';\n\nconst client = new Holdfast();\n${use}\n`;
}

function pythonOf(call: string): string {
  const use = isIterated(call) ? `for item in client.${call}:\n    print(item)` : `print(client.${call})`;
  return `from holdfast import Holdfast\n\nclient = Holdfast()\n${use}\n`;
}

/** The request of the operation's example: its path and its body as JSON, if it has one. */
function exampleRequest({ path, operation }: Operation) {
  const body = requestContent(operation)?.example as unknown;
  return {
    path: path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => exampleOf(operation, name)),
    json: body === undefined ? null : JSON.stringify(body),
  };
}

/** The same by Go's standard library; there is no SDK for Go. */
function goOf(item: Operation): string {
  const { path, json } = exampleRequest(item);
  const imports = ['io', 'net/http', 'os', ...(json === null ? [] : ['strings'])];
  const body = json === null ? 'nil' : `strings.NewReader(\`${json}\`)`;
  const type = json === null ? '' : '\n\trequest.Header.Set("Content-Type", "application/json")';
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
	url := os.Getenv("HOLDFAST_URL") + "${path}"
	request, err := http.NewRequest("${item.method.toUpperCase()}", url, ${body})
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("HOLDFAST_API_KEY"))${type}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		panic(err)
	}
}
`;
}

/** The request for a shell where HOLDFAST_URL and HOLDFAST_API_KEY are set. */
function curlOf(item: Operation): string {
  const { method } = item;
  const { path, json } = exampleRequest(item);
  const url = `"$HOLDFAST_URL${path}"`;
  const parts = [`curl ${url}`, `-H "Authorization: Bearer $HOLDFAST_API_KEY"`];
  if (method !== 'get' && !(method === 'post' && json !== null)) parts.push(`-X ${method.toUpperCase()}`);
  if (json !== null) {
    const quoted = json.replaceAll("'", String.raw`'\''`);
    parts.push("-H 'Content-Type: application/json'", `-d '${quoted}'`);
  }
  const setUp =
    'export HOLDFAST_URL=http://127.0.0.1:8080 HOLDFAST_API_KEY=sk_…   # those of your Holdfast\n';
  return `${setUp}${parts.join(' \\\n  ')}\n`;
}

function exampleOf({ parameters = [] }: oas31.OperationObject, name: string): string {
  const found = (parameters as oas31.ParameterObject[]).find((parameter) => parameter.name === name);
  const schema = found?.schema as oas31.SchemaObject | undefined;
  return String(found?.example ?? schema?.example ?? schema?.examples?.[0] ?? `<${name}>`);
}
