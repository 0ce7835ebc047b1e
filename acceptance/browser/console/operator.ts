import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { apiClient } from '@holdfast/testkit/apiClient';
import { hostile } from '../pages.ts';

export const ann = 'ann-has-a-token-of-hers';
export const val = 'val-has-a-token-as-well';

/** A receiver that refuses with `status` until `accept` is called, and says hostile things. */
export async function startReceiver(status = 500) {
  let accepts = false;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = accepts ? 200 : status;
      response.setHeader('Content-Type', 'text/html');
      response.end(hostile);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    origin: `http://127.0.0.1:${port}`,
    accept: () => {
      accepts = true;
    },
    close: () => server.close(),
  };
}

/** An execution of the demo organization, once it has ended. */
export async function runExecution(state: LocalState, request: object): Promise<string> {
  const headers = { Authorization: `Bearer ${state.api_key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${state.base_url}/v1/executions`, {
    method: 'POST',
    headers: { ...headers, Prefer: 'wait=30' },
    body: JSON.stringify(request),
  });
  const { id } = (await response.json()) as { id: string };
  return id;
}

/** A batch of the demo organization with two items, the second of which fails. */
export async function newBatch(state: LocalState, settings: object): Promise<string> {
  const api = apiClient(state.base_url, state.api_key);
  const { body } = await api.post('/v1/batches', { model: 'sandbox-text', ...settings });
  const inputs = [{ prompt: hostile }, { prompt: 'b', fail: 'GENERATION_FAILED' }];
  for (const [at, input] of inputs.entries())
    await api.post(`/v1/batches/${String(body['id'])}/items`, { custom_id: `item-${at}`, input });
  await api.post(`/v1/batches/${String(body['id'])}/seal`);
  return String(body['id']);
}

export async function admin<Found>(state: LocalState, path: string, token = ann): Promise<Found> {
  const { body } = await apiClient(state.admin_url, token).get(`/admin/v1${path}`);
  return body as Found;
}

/** Returns the id of what ann makes. */
export async function post(state: LocalState, path: string, body: object, headers = {}): Promise<string> {
  const made = await apiClient(state.admin_url, ann).post(`/admin/v1${path}`, body, headers);
  return String(made.body['id']);
}

export const screenshots = join(import.meta.dirname, '../../../docs/console');
