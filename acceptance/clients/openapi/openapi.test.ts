import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { installTools, newWorkFolder, runPythonGenerator, runTool, toolFile } from './tools.ts';

/** Calls as a client would write them, which must type-check; a mistake in each `@ts-expect-error`. */
const calls = `
import createClient from 'openapi-fetch';
import type { components, paths } from './types';

const { POST, GET } = createClient<paths>({ baseUrl: 'http://localhost' });
type Event = components['schemas']['Event'];

export async function calls(): Promise<string> {
  const endpoint = { url: 'https://example.com/hooks', events: ['execution.completed'] } as const;
  await POST('/v1/webhooks/endpoints', { body: { ...endpoint, events: [...endpoint.events] } });
  // @ts-expect-error
  await POST('/v1/webhooks/endpoints', { body: { events: [] } });
  // @ts-expect-error
  await POST('/v1/webhooks/endpoints', { body: { url: endpoint.url, events: ['execution.done'] } });

  await POST('/v1/files/upload', { body: { purpose: 'INPUT' } });
  await POST('/v1/files/upload', { body: { filename: 'a.png', content_type: 'image/png', size_bytes: 1 } });
  // @ts-expect-error
  await POST('/v1/files/upload', { body: { filename: 'a.png' } });

  const { data, error, response } = await POST('/v1/executions', {
    body: { model: 'sandbox-text', input: { prompt: 'Hello' } },
    params: { header: { 'Idempotency-Key': 'order-A-17', Prefer: 'wait=30' } },
  });
  // @ts-expect-error
  await POST('/v1/executions', { body: { model: 'sandbox-text' } });
  if (error) return error.error.code satisfies string;
  const { urls, status } = data;
  if ('result' in data) response.headers.get(String(data.result));

  const read = await GET('/v1/executions/{id}', { params: { path: { id: data.id }, query: { wait: 30 } } });
  const page = await GET('/v1/executions', { params: { query: { status: 'COMPLETED' } } });
  const next: string | null | undefined = page.data?.next_cursor;
  return [urls.self, status, read.data?.logs, read.data?.error?.message, next].join();
}

export function seen(event: Event): string {
  switch (event.type) {
    case 'execution.completed':
      return 'result' in event.data ? JSON.stringify(event.data.result) : event.data.id;
    case 'endpoint.failing':
      return event.endpoint_id + event.data.failure_count;
    case 'webhook.test':
      return event.data.message;
    default:
      return event.type;
  }
}
`;

const compiler = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  paths: {
    'openapi-fetch': [toolFile('openapi-fetch')],
    'openapi-typescript-helpers': [toolFile('openapi-typescript-helpers')],
  },
};

let folder: string;

beforeAll(async () => {
  folder = newWorkFolder();
  await installTools();
}, 300_000);

/** Checks the types of these files in the work folder; returns the compiler's output. */
async function typeErrors(...files: string[]): Promise<string> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: compiler, files }));
  return (await runTool(folder, 'typescript/bin/tsc', '-p', '.')).stdout;
}

describe('docs/openapi.json', () => {
  it('passes redocly lint and spectral without a warning', async () => {
    const redocly = await runTool(folder, '@redocly/cli/bin/cli.js', 'lint', 'openapi.json');
    expect(redocly.stderr + redocly.stdout).toMatch(/Your API description is valid/);
    expect(redocly.stderr + redocly.stdout).not.toMatch(/warning/i);
    writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const args = ['lint', 'openapi.json', '--ruleset=spectral.yaml', '--fail-severity=hint', '--quiet'];
    const spectral = await runTool(folder, '@stoplight/spectral-cli/dist/index.js', ...args);
    expect([spectral.code, spectral.stdout]).toEqual([0, expect.not.stringMatching(/warning|error /)]);
  }, 120_000);

  it('gives openapi-typescript and openapi-fetch types that accept right calls and refuse wrong ones', async () => {
    const generated = await runTool(
      folder,
      'openapi-typescript/bin/cli.js',
      'openapi.json',
      '-o',
      'types.d.ts',
    );
    expect([generated.code, generated.stderr]).toEqual([0, expect.not.stringMatching(/warn/i)]);
    writeFileSync(join(folder, 'calls.ts'), calls);
    expect(await typeErrors('calls.ts')).toBe('');
  }, 120_000);

  it('gives @hey-api/openapi-ts a client that compiles, with a function per operation', async () => {
    const args = ['-i', 'openapi.json', '-o', 'hey'];
    const generated = await runTool(folder, '@hey-api/openapi-ts/bin/run.js', ...args);
    expect([generated.code, generated.stdout + generated.stderr]).toEqual([
      0,
      expect.not.stringMatching(/warn/i),
    ]);
    const functions = readFileSync(join(folder, 'hey/sdk.gen.ts'), 'utf8').match(/(?<=export const )\w+/g);
    expect(functions).toEqual(expect.arrayContaining(['createExecution', 'rotateWebhookEndpointSecret']));
    expect(await typeErrors('hey/index.ts')).toBe('');
  }, 120_000);

  it('gives openapi-python-client every model, where Python and PyPI can be reached', async () => {
    const generated = await runPythonGenerator(folder);
    if (generated === null) return;
    expect([generated.code, generated.stdout + generated.stderr]).toEqual([
      0,
      expect.not.stringMatching(/warning|unable|error/i),
    ]);
    const { components } = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
    const models = readdirSync(join(folder, 'client/models'));
    expect(models).toEqual(
      expect.arrayContaining([
        'execution.py',
        'execution_page.py',
        'execution_result.py',
        'execution_completed_event.py',
      ]),
    );
    const objects = Object.values<{ properties?: object }>(components.schemas).filter(
      ({ properties }) => properties,
    );
    expect(models.length).toBeGreaterThanOrEqual(objects.length);
  }, 300_000);
});
