import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast } from '../testing/holdfast.ts';

/** The requests to the Cog server; `cogResponse` null leaves them open. */
type ReceivedRequest = { method: string; path: string; body: { input?: Record<string, unknown> } };

let server: Server;
let requests: ReceivedRequest[];
let cogResponse: { status: number; body: object } | null;
let folder: string;
let url: string;

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { method = '', url: path = '' } = request;
  requests.push({ method, path, body: body ? JSON.parse(body) : {} });
  if (cogResponse === null && method !== 'POST') return;
  const { status, body: given } = cogResponse ?? { status: 200, body: {} };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: path.split('/').at(-1), ...given }));
}

beforeEach(async () => {
  requests = [];
  cogResponse = {
    status: 200,
    body: { status: 'succeeded', output: 'A poem.', metrics: { predict_time: 2 } },
  };
  server = createServer((request, response) => void reply(request, response));
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${port}`;
  folder = testFolder('models');
  writeFileSync(
    join(folder, 'poet.yaml'),
    `slug: poet
providers:
  - { adapter: cog, connection: away, model: poet }
  - { adapter: cog, connection: gpu, model: poet, input: { rename: { picture: image } } }
input_schema:
  type: object
  additionalProperties: false
  required: [prompt]
  properties:
    prompt: { type: string }
    picture: { type: string, format: file }
  examples: [{ prompt: A lighthouse }]
price: { per_second: "0.05" }
output: { kind: text }
`,
  );
});
afterEach(async () => {
  server.closeAllConnections();
  await closeServer(server);
});

const args = (...more: string[]) => ['models', 'test', 'poet', '--models', folder, ...more];
const test = (...more: string[]) => holdfast(args(...more), { GPU_BASE_URL: url });

describe('holdfast models test', () => {
  it('runs the example once and prints the output', async () => {
    const { code, stdout, stderr } = await test();
    expect(code).toBe(0);
    expect(stderr).toContain('poet at gpu, as poet; no balance is charged\nsubmitted\n');
    expect(stdout).toMatch(/^outcome +success$/m);
    expect(stdout).toMatch(/^measured +seconds 2$/m);
    expect(stdout).toMatch(/^cost +0\.10; a test is not charged/m);
    expect(stdout).toContain('"text": "A poem."');
    expect(stdout).toMatch(/^took +\d+\.\d s$/m);
    expect(requests.map(({ body }) => body.input)).toEqual([{ prompt: 'A lighthouse' }]);
  });

  it('sends local files as data URIs under the name of the route, and reads a text that begins with @ as a text', async () => {
    const path = join(folder, 'dot.png');
    writeFileSync(path, 'picture');
    const { code } = await test('--input', JSON.stringify({ prompt: '@home', picture: `@${path}` }));
    expect(code).toBe(0);
    const image = `data:image/png;base64,${Buffer.from('picture').toString('base64')}`;
    expect(requests.map(({ body }) => body.input)).toEqual([{ prompt: '@home', image }]);
  });

  it('warns of priced usage that the provider does not report, and charges what was estimated for the input', async () => {
    cogResponse = {
      status: 200,
      body: { status: 'succeeded', output: 'A poem.', metrics: { predict_time: 0 } },
    };
    const yaml = readFileSync(join(folder, 'poet.yaml'), 'utf8');
    writeFileSync(join(folder, 'poet.yaml'), `${yaml}estimate: { seconds: 3 }\n`);
    const { stdout } = await test();
    expect(stdout).toMatch(/^cost +0\.15; a test is not charged/m);
    expect(stdout).toMatch(/^billed +.*"seconds":3,"estimated":\["seconds"\]/m);
    expect(stdout).toMatch(/^warning +the provider did not report seconds: charged as estimated/m);
  });

  it('reads the input from a file', async () => {
    writeFileSync(join(folder, 'input.json'), '{"prompt":"from a file"}');
    await test('--input', `@${join(folder, 'input.json')}`);
    expect(requests.map(({ body }) => body.input)).toEqual([{ prompt: 'from a file' }]);
  });

  it('fails with the error of the run, as the provider reported it and as clients read it', async () => {
    cogResponse = { status: 200, body: { status: 'failed', error: 'CUDA out of memory' } };
    const { code, stdout } = await test();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^outcome +GENERATION_FAILED$/m);
    expect(stdout).toMatch(/^took /m);
  });

  it('prints neither a key that the provider repeats nor control characters', async () => {
    cogResponse = {
      status: 200,
      body: {
        status: 'succeeded',
        output: 'got gpu-key-12345 \u009b2J',
        logs: '\u001b]0;owned\u0007 gpu-key-12345\n',
      },
    };
    const env = { GPU_BASE_URL: url.replace('//', '//me:p%40ss-word@'), GPU_API_KEY: 'gpu-key-12345' };
    const ended = await holdfast(args(), env);
    expect(ended.stdout).toContain('got [key] \ufffd2J');
    expect(ended.stderr).toContain('  | \ufffd]0;owned\ufffd [key]');
    const shown = await holdfast(['models', 'show', 'poet', '--models', folder], env);
    expect(shown.stdout).toContain(`at gpu by cog (${url.replace('//', '//***@')}/)`);
    expect(shown.stdout).not.toContain('ss-word');
  });

  it('distinguishes a refusal from a failure', async () => {
    cogResponse = { status: 404, body: { detail: 'no such model' } };
    const { code, stdout } = await test();
    expect(code).toBe(3);
    expect(stdout).toContain('refused: the run was not accepted');
  });

  it('cancels the run at the provider when it is interrupted', async () => {
    cogResponse = null;
    const interrupt = new AbortController();
    const ending = holdfast(args(), { GPU_BASE_URL: url }, interrupt.signal);
    await until('the run is submitted', () => requests.length > 0);
    interrupt.abort();
    const { code, stdout } = await ending;
    expect(code).toBe(1);
    expect(stdout).toContain('interrupted; cancelled at the provider');
    expect(requests.at(-1)).toMatchObject({ method: 'POST', path: expect.stringMatching(/\/cancel$/) });
  });

  it('cancels the run when its time is over', async () => {
    cogResponse = null;
    const { code, stdout } = await test('--timeout', '1');
    expect(code).toBe(1);
    expect(stdout).toMatch(/timed out|GENERATION_TIMEOUT/);
  });

  it.each([
    [['--input', '{'], 2, '--input is not a JSON object'],
    [['--input', '{"promt":"a"}'], 2, '--input: must have the property "prompt"'],
    [['--input', '{"prompt":"a","picture":"@/nowhere.png"}'], 2, "/nowhere.png can't be read"],
    [['--input', '{"prompt":"a","picture":"file_1"}'], 2, 'give @path'],
    [['--provider', 'unknown'], 2, 'poet has no provider "unknown": it has away, gpu'],
    [['--provider', 'away'], 3, 'AWAY_BASE_URL is not set'],
    [['--timeout', 'soon'], 2, '--timeout needs a whole number from 1 to 86400'],
  ])('reports %j and sends nothing', async (more, code, reason) => {
    const ended = await test(...more);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(reason);
    expect(requests).toEqual([]);
  });
});
