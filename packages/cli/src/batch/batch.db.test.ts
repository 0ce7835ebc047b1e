import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listenAt } from '@holdfast/kit/http';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast, startHoldfast } from '../testing/holdfast.ts';

const folder = testFolder('batch-cli');
const path = join(folder, 'items.jsonl');
const requests: string[] = [];
const keys: unknown[] = [];
let isSealed: boolean;
let isRunning: boolean;
const server = createServer((request, response) => void respond(request, response));
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  env = { HOLDFAST_URL: `http://127.0.0.1:${port}`, HOLDFAST_API_KEY: 'sk_1' };
});
beforeEach(() => {
  requests.length = 0;
  keys.length = 0;
  isSealed = false;
  isRunning = false;
  writeFileSync(path, '{"custom_id":"a"}\n{"custom_id":"b"}\n');
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

function record() {
  const hasEnded = isSealed && !isRunning;
  const counts = {
    total: 2,
    waiting: hasEnded ? 0 : 2,
    running: 0,
    completed: hasEnded ? 1 : 0,
    failed: hasEnded ? 1 : 0,
  };
  const status = hasEnded ? 'completed' : isSealed ? 'running' : 'open';
  const files = { output_file_id: 'file_o', error_file_id: 'file_e' };
  const times = {
    created_at: '2026-03-20T10:30:00.000Z',
    ended_at: hasEnded ? '2026-03-20T10:31:00.000Z' : null,
  };
  return {
    id: 'bat_1',
    status,
    reason: null,
    model: 'm',
    counts,
    cost: '0.01',
    held: '0.00',
    ...files,
    ...times,
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request;
  const body = (await request.toArray()).join('');
  requests.push(`${method} ${url} ${body}`.trim());
  if (method === 'POST' && url === '/v1/batches') keys.push(request.headers['idempotency-key']);
  if (url.endsWith('/items')) {
    const isBad = body.includes('nonsense');
    const rejected = {
      line: 1,
      custom_id: null,
      error: { code: 'INPUT_VALIDATION_ERROR', message: 'It is not JSON.' },
    };
    const counts = { accepted: 2, duplicates: 0, rejected: isBad ? 1 : 0 };
    return void response.end(`${isBad ? JSON.stringify(rejected) : ''}\n${JSON.stringify(counts)}\n`);
  }
  if (url.endsWith('/file_o/download')) return void response.end('{"custom_id":"a","status":"completed"}\n');
  if (url.endsWith('/file_e/download')) return void response.end('{"custom_id":"b","status":"failed"}\n');
  if (url.endsWith('/seal')) isSealed = true;
  response.writeHead(200, { 'content-type': 'application/json' });
  const isList = method === 'GET' && /^\/v1\/batches(\?|$)/.test(url);
  response.end(JSON.stringify(isList ? { data: [record()], has_more: false, next_cursor: null } : record()));
}

const batch = (...args: string[]) => holdfast(['batch', ...args], env);

describe('holdfast batch run', () => {
  it('runs the items of a file, and writes what came of them', async () => {
    const out = join(folder, 'results.jsonl');
    const { code, stderr } = await batch('run', path, '--model', 'm', '--out', out);
    expect([code, stderr.trim()]).toEqual([
      1,
      'completed  bat_1  2 in all, 1 completed, 1 failed  cost 0.01',
    ]);
    expect(readFileSync(out, 'utf8')).toBe(
      '{"custom_id":"a","status":"completed"}\n{"custom_id":"b","status":"failed"}\n',
    );
    expect(requests).toContain('POST /v1/batches/bat_1/items {"custom_id":"a"}\n{"custom_id":"b"}');
    expect((await batch('run', path, '--model', 'm')).stdout).toBe(readFileSync(out, 'utf8'));
    await batch('run', path, '--model', 'other');
    await batch('run', path, '--model', 'm', '--idempotency-key', 'again');
    const [first, second, third, fourth] = keys;
    expect([second === first, third === first, fourth]).toEqual([true, false, 'again']);
  });

  it('starts nothing when a line is not accepted, unless it is to be skipped', async () => {
    writeFileSync(path, 'nonsense\n{"custom_id":"b"}\n');
    const refused = await batch('run', path);
    expect([refused.code, isSealed]).toEqual([1, false]);
    expect(refused.stderr).toContain('Line 1: It is not JSON. --skip-rejected runs the others.');
    const { stderr } = await batch('run', path, '--skip-rejected');
    expect([stderr.split('\n')[0], isSealed]).toEqual(['line 1: It is not JSON.', true]);
  });

  it('leaves the batch running when it is interrupted', async () => {
    isRunning = true;
    const running = startHoldfast(['batch', 'run', path], env);
    await until('the batch is read', () => requests.includes('GET /v1/batches/bat_1'));
    expect(await running.interrupt()).toBe(1);
    expect(requests.filter((one) => one.includes('cancel'))).toEqual([]);
  });

  it('names a file that it cannot read', async () => {
    const { code, stderr } = await batch('run', join(folder, 'none.jsonl'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('none.jsonl cannot be read')]);
  });
});

describe('the other commands of batches', () => {
  it.each([
    [['get', 'bat_1'], 'GET /v1/batches/bat_1'],
    [['pause', 'bat_1'], 'POST /v1/batches/bat_1/pause'],
    [['resume', 'bat_1', '--max-cost', '5'], 'POST /v1/batches/bat_1/resume {"max_cost":"5"}'],
    [['cancel', 'bat_1'], 'POST /v1/batches/bat_1/cancel'],
    [
      ['retry', 'bat_1', '--status', 'failed'],
      'POST /v1/batches/bat_1/retry {"filter":{"status":["failed"]}}',
    ],
    [['list', '--status', 'open'], 'GET /v1/batches?status=open&limit=20'],
  ])('%j send one request, and show the batch', async (args, request) => {
    const { code, stdout } = await batch(...args);
    expect([code, requests]).toEqual([0, [request]]);
    expect(stdout).toContain('bat_1');
    expect(stdout).toContain('2 in all, 2 waiting');
    expect(JSON.parse((await batch(...args, '--json')).stdout)).toMatchObject(
      args[0] === 'list' ? { has_more: false } : { id: 'bat_1' },
    );
  });

  it('refuse flags of others, and statuses that there are not', async () => {
    for (const args of [
      ['pause', 'bat_1', '--status', 'failed'],
      ['retry', 'bat_1', '--status', 'open'],
      ['list', '--status', 'x'],
    ])
      expect((await batch(...args)).code).toBe(2);
  });
});
