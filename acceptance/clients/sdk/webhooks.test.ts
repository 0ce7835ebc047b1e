import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { newWebhookSecret, signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import { servicePort } from '@holdfast/local/launch/ports';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFromSdk, installTypeScriptSdk, machineEnvironment } from './installed.ts';

const tools = resolve(import.meta.dirname, '../../../sdk/tools/node_modules');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
const secret = newWebhookSecret();
const body = JSON.stringify({ id: 'evt_7', type: 'execution.completed', data: { text: 'é' } });

/** Signed as the webhook-sender signs. */
function signed(changes: { secret?: string; ageS?: number } = {}) {
  const signers = {
    current: signingKeys(changes.secret ?? secret),
    previous: null,
    isPreviousPrimary: false,
  };
  const timestampS = Math.floor(Date.now() / 1000) - (changes.ageS ?? 0);
  return signatureHeaders({ signers, eventId: 'evt_7', timestampS, body });
}

let receiver: ChildProcess | undefined;
let output: string;
let url: string;

beforeAll(async () => {
  await installTypeScriptSdk(folder, { type: 'module' });
  for (const name of ['express', 'fastify', 'hono', '@hono/node-server']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(tools, name), link);
  }
});

afterEach(async () => {
  if (!receiver || receiver.exitCode !== null) return;
  const exit = once(receiver, 'exit');
  receiver.kill();
  await exit;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(framework: string) {
  const port = await servicePort();
  url = `http://127.0.0.1:${port}/hook`;
  output = '';
  const env = { ...machineEnvironment(), PORT: String(port), WEBHOOK_SECRET: secret };
  const example = copyFromSdk(`examples/webhook-${framework}.mjs`, folder);
  const script = framework === 'next' ? serverOf(example) : example;
  const child = spawn('node', [script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (text) => {
    output += String(text);
  });
  receiver = child;
  await until('the receiver listens', () => output.includes('listening'));
}

/** A server that gives each request to a route handler, as Next does: as a web `Request`. */
function serverOf(route: string): string {
  const script = join(folder, 'server.mjs');
  const program = `import { serve } from '@hono/node-server';
    import { POST } from ${JSON.stringify(route)};
    const listening = () => console.log('listening');
    serve({ fetch: POST, port: Number(process.env.PORT), hostname: '127.0.0.1' }, listening);`;
  writeFileSync(script, program);
  return script;
}

async function post(headers: Record<string, string>, sent = body): Promise<number> {
  const all = { 'content-type': 'application/json', ...headers };
  return (await fetch(url, { method: 'POST', headers: all, body: sent })).status;
}

describe.each(['express', 'fastify', 'hono', 'next'])('a receiver with %s', (framework) => {
  it('accepts requests that the service signed, and refuses all others', async () => {
    await start(framework);
    expect(await post(signed())).toBe(204);
    const { 'X-Signature': hex, 'X-Signature-Timestamp': timestamp } = signed();
    expect(await post({ 'X-Signature': hex, 'X-Signature-Timestamp': timestamp })).toBe(204);
    await until('the receiver prints both', () => output.split('\n').length >= 4);
    expect(output).toBe('listening\nexecution.completed evt_7\nexecution.completed evt_7\n');

    expect(await post(signed(), `${body} `)).toBe(401);
    expect(await post(signed({ secret: newWebhookSecret() }))).toBe(401);
    expect(await post(signed({ ageS: 600 }))).toBe(401);
    expect(await post({})).toBe(401);
    expect(output.split('\n')).toHaveLength(4);
  });
});
