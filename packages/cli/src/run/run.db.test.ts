import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenAt } from '@holdfast/kit/http';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast, startHoldfast } from '../testing/holdfast.ts';

const input_schema = {
  type: 'object',
  properties: { prompt: { type: 'string' } },
  examples: [{ prompt: 'a' }],
};
const models: Record<string, object> = {
  writer: { slug: 'writer', stream: 'text', input_schema },
  speaker: { slug: 'speaker', stream: 'audio', input_schema },
  painter: { slug: 'painter', stream: null, input_schema },
};
const execution = {
  id: 'exec_1',
  status: 'COMPLETED',
  cost: '0.01',
  created_at: '2026-03-20T10:30:00.000Z',
  expires_at: '2026-03-20T10:40:00.000Z',
  completed_at: '2026-03-20T10:30:08.000Z',
  result: { text: 'Once upon' },
};

let events: string;
let isOpen: boolean;
let record: object;
const requests: string[] = [];
const server = createServer((request, response) => void respond(request, response));
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  env = { HOLDFAST_URL: `http://127.0.0.1:${port}`, HOLDFAST_API_KEY: 'sk_1' };
});
beforeEach(() => {
  requests.length = 0;
  isOpen = false;
  record = execution;
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request;
  const body = (await request.toArray()).join('');
  requests.push(`${method} ${url} ${body}`.trim());
  if (url.endsWith('/stream')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events);
    if (!isOpen) response.end();
    return;
  }
  if (url.endsWith('/events')) return void response.writeHead(404).end();
  const slug = /^\/v1\/models\/(.*)$/.exec(url)?.[1];
  const error = { code: 'NOT_FOUND', message: 'There is no such model.', retryable: false };
  const found = slug === undefined ? record : models[slug];
  const created = { ...execution, status: 'PENDING', completed_at: null };
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(method === 'POST' ? created : (found ?? { error })));
}

const sent = (id: number, type: string, data: object) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const output = (id: number, delta: unknown) => sent(id, 'output', { delta });
const done = (id: number, status = 'COMPLETED') => sent(id, 'done', { status, finish_reason: 'stop' });
const run = (...args: string[]) => holdfast(['run', ...args], env);

describe('holdfast run', () => {
  it('prints the output of a model as JSON, and how it ended to stderr', async () => {
    const { code, stdout, stderr } = await run('painter', '--input', '{"prompt": "b"}');
    expect([code, JSON.parse(stdout)]).toEqual([0, { text: 'Once upon' }]);
    expect(stderr).toContain('COMPLETED  exec_1  cost 0.01');
    expect(requests).toContain('POST /v1/executions {"model":"painter","input":{"prompt":"b"}}');
  });

  it('prints the text of a stream as it comes, and progress and logs to stderr', async () => {
    const progress = sent(2, 'progress', { progress: 0.5 }) + sent(3, 'logs', { lines: ['loading'] });
    events = output(1, 'Once ') + progress + output(4, 'upon') + done(5);
    expect(await run('writer', '--stream')).toEqual({
      code: 0,
      stdout: 'Once upon\n',
      stderr: '50 %\n  | loading\nCOMPLETED  exec_1  cost 0.01\n',
    });
    expect(requests).toContain('POST /v1/executions {"model":"writer","input":{"prompt":"a"},"stream":true}');
  });

  it('begins a new line where the model begins anew', async () => {
    events = output(1, 'Once') + sent(2, 'reset', { attempt: 2 }) + output(3, 'There\n') + done(4);
    const { stdout, stderr } = await run('writer', '--stream');
    expect(stdout).toBe('Once\nThere\n');
    expect(stderr).toContain('the output so far is void');
  });

  it('prints each event with --json, and the bytes of sound', async () => {
    events = output(1, btoa('sound')) + done(2);
    const { stdout } = await run('speaker', '--stream', '--json');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: 1, type: 'output', delta: btoa('sound') },
      { id: 2, type: 'done', status: 'COMPLETED', finish_reason: 'stop' },
    ]);
    expect((await run('speaker', '--stream')).stdout).toBe('sound');
  });

  it('returns 1 for a failure after the output that came before, and for a refusal', async () => {
    events = output(1, 'Once') + done(2, 'FAILED');
    record = {
      ...execution,
      status: 'FAILED',
      cost: null,
      error: { code: 'GENERATION_FAILED', message: 'No.' },
    };
    expect(await run('writer', '--stream')).toEqual({
      code: 1,
      stdout: 'Once\n',
      stderr: 'FAILED  exec_1\nholdfast: GENERATION_FAILED: No.\n',
    });
    expect(await run('other')).toMatchObject({ code: 1, stderr: expect.stringContaining('no such model') });
    expect(await run('painter', '--stream')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not stream'),
    });
  });

  it('cancels the execution at Ctrl-C', async () => {
    isOpen = true;
    events = output(1, 'Once');
    const running = startHoldfast(['run', 'writer', '--stream'], env);
    await until('the output is printed', async () => running.said().includes('Once'));
    expect(await running.interrupt()).toBe(1);
    expect(requests.at(-1)).toBe('POST /v1/executions/exec_1/cancel');
  });
});
