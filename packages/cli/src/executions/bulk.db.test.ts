import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenAt } from '@holdfast/kit/http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfastHere } from '../testing/holdfast.ts';

type Asked = {
  path: string | undefined;
  key: string | undefined;
  body: { cursor?: string; dry_run?: boolean };
};

/** An admin API whose two parts have two executions each. */
let asked: Asked[] = [];
const server = createServer((request, response) => void respond(request, response));
const skipped = { rerun_of: 'exec_1', code: 'EXECUTION_ERASED', message: 'The execution was erased.' };

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as Asked['body'];
  asked.push({ path: request.url, key: request.headers['idempotency-key']?.toString(), body });
  const done = body.dry_run ? {} : { created: 1, replayed: 0, skipped: [skipped] };
  const next_cursor = body.cursor === undefined ? 'next' : null;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ matched: 2, ...done, next_cursor }));
}

const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
const env = { HOLDFAST_ADMIN_URL: `http://127.0.0.1:${port}`, ADMIN_TOKEN: 'any' };
const rerun = (...args: string[]) => holdfastHere(['executions', 'bulk-rerun', 'org_1', ...args], env);

beforeEach(() => {
  asked = [];
});
afterAll(() => void server.close());

describe('holdfast executions bulk-rerun', () => {
  it('only counts without --yes, and refuses to count without a filter', async () => {
    expect(await rerun()).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a filter') });
    const { stdout } = await rerun('--status', 'FAILED,EXPIRED');
    expect(stdout).toContain('4 executions match. Nothing was done: add --yes.');
    expect(asked.map(({ body }) => body)).toEqual([
      { filter: { status: ['FAILED', 'EXPIRED'] }, dry_run: true },
      { filter: { status: ['FAILED', 'EXPIRED'] }, dry_run: true, cursor: 'next' },
    ]);
  });

  it('works through all parts by one key, and names what cannot run again', async () => {
    const { stdout, stderr } = await rerun('--model', 'sandbox-text', '--yes', '--idempotency-key', 'mine');
    expect(stdout).toContain('2 were created. 2 cannot run again.');
    expect(stderr).toContain('exec_1: The execution was erased. (EXECUTION_ERASED)');
    const path = '/admin/v1/organizations/org_1/executions/bulk-rerun';
    expect(asked.slice(2)).toMatchObject([
      { path, key: 'mine', body: { filter: { model: 'sandbox-text' } } },
      { path, key: 'mine', body: { cursor: 'next' } },
    ]);
  });
});
