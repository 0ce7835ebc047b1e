import { afterEach, describe, expect, it } from '@jest/globals';
import { InvalidRequestError } from './errors.ts';
import { file } from './fileSource.ts';
import { cut, json, refusal, type Step, startScriptedServer } from './testing/scriptedServer.ts';

let server: Awaited<ReturnType<typeof startScriptedServer>>;
afterEach(() => server.close());

/** Serves one batch, which is sealed once; `faults` come before its responses, by path. */
async function serve(faults: Record<string, Step[]> = {}) {
  const has = new Map<string, string>();
  let reads = 0;
  let isSealed = false;
  const record = () => {
    const isEnded = isSealed && reads > 1;
    const counts = { total: has.size, completed: isEnded ? has.size : 0 };
    const status = isEnded ? 'completed' : isSealed ? 'running' : 'open';
    const files = { output_file_id: 'file_o', error_file_id: 'file_e' };
    return {
      id: 'bat_1',
      status,
      reason: null,
      counts,
      cost: '0',
      ended_at: isEnded ? 'now' : null,
      ...files,
    };
  };
  const routes: Record<string, Step> = {
    'POST /v1/batches': (...call) => json(202, record())(...call),
    'POST /v1/batches/bat_1/seal'(...call) {
      isSealed = true;
      json(200, record())(...call);
    },
    'GET /v1/batches/bat_1'(...call) {
      reads += 1;
      json(200, record())(...call);
    },
    'POST /v1/batches/bat_1/items'(response, { body }) {
      const counts = { accepted: 0, duplicates: 0, rejected: 0 };
      body.split('\n').forEach((line, at) => {
        const { custom_id: id } = line.startsWith('{') ? JSON.parse(line) : { custom_id: null };
        if (id === null) {
          const error = { code: 'INPUT_VALIDATION_ERROR', message: 'It is not JSON.', details: [] };
          response.write(`${JSON.stringify({ line: at + 1, custom_id: null, error })}\n`);
        }
        counts[id === null ? 'rejected' : has.has(id) ? 'duplicates' : 'accepted'] += 1;
        if (id !== null) has.set(id, line);
      });
      response.end(`\n${JSON.stringify(counts)}\n`);
    },
    'GET /v1/files/file_o/download': (response) =>
      void response.end(
        [...has.keys()].map((id) => `${JSON.stringify({ custom_id: id, status: 'completed' })}\n`).join(''),
      ),
    'GET /v1/files/file_e/download': (response) => void response.end(),
  };
  const step: Step = (response, received) => {
    const route = `${received.method} ${received.path}`;
    const fault = faults[route]?.shift();
    const serving = fault ?? routes[route] ?? refusal(404, 'NOT_FOUND', false);
    serving(response, received);
  };
  server = await startScriptedServer(step);
  return { client: server.client(), has };
}

const items = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ custom_id: `item-${at}`, input: { prompt: 'x'.repeat(100) } }));

async function* later<Item>(all: Iterable<Item>) {
  yield* all;
}

async function idsOf(results: AsyncIterable<{ custom_id: string }>) {
  const ids = [];
  for await (const { custom_id } of results) ids.push(custom_id);
  return ids;
}

const pollInterval = 1;

describe('a run of a batch', () => {
  const ids = items(7000).map(({ custom_id }) => custom_id);
  const text = items(7000)
    .map((item) => JSON.stringify(item))
    .join('\n');

  it.each([
    ['an array', () => items(7000)],
    ['an iterator', () => later(items(7000))],
    ['a file', () => file(new Blob([text]))],
    ['a Blob that ends with a line feed', () => new Blob([text, '\n'])],
  ])('adds the items of %s, seals, reports, and returns the results', async (_name, input) => {
    const { client } = await serve();
    const statuses: string[] = [];
    const { batch, results } = await client.batches.run(input(), {
      model: 'm',
      pollInterval,
      onProgress: ({ status }) => statuses.push(status),
    });
    expect([batch.status, ...statuses]).toEqual(['completed', 'running', 'completed']);
    expect(await idsOf(results)).toEqual(ids);
    const sent = server.received.filter(({ path }) => path.endsWith('/items'));
    expect(sent.length).toBeGreaterThan(1);
    expect(server.received[0]?.body).toBe('{"model":"m"}');
  });

  it('loses and repeats nothing when connections break', async () => {
    const half: Step = (response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"custom_id":"item-0","status":"completed"}\n{"cus', () => response.destroy());
    };
    const noCounts: Step = (response) => void response.end('\n');
    const { client, has } = await serve({
      'POST /v1/batches': [cut],
      'POST /v1/batches/bat_1/items': [cut, noCounts, refusal(503, 'SERVICE_UNAVAILABLE', true)],
      'POST /v1/batches/bat_1/seal': [cut],
      'GET /v1/batches/bat_1': [cut],
      'GET /v1/files/file_o/download': [half, cut],
    });
    const { results } = await client.batches.run(items(3), { pollInterval });
    expect(await idsOf(results)).toEqual(['item-0', 'item-1', 'item-2']);
    expect(has.size).toBe(3);
    const creates = server.received.filter(({ path }) => path === '/v1/batches');
    expect(new Set(creates.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  }, 30_000);

  it('goes on with the batch that its error has', async () => {
    const { client } = await serve({ 'POST /v1/batches/bat_1/items': [refusal(403, 'FORBIDDEN', false)] });
    const error = await client.batches.run(items(2)).catch((one: unknown) => one);
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      batch: { id: 'bat_1' },
      idempotencyKey: expect.any(String),
    });
    const { batch } = await client.batches.run(items(2), { id: 'bat_1', pollInterval });
    expect(batch.status).toBe('completed');
    // One that is sealed takes no items.
    await client.batches.run([], { id: 'bat_1', pollInterval });
    expect(server.received.filter(({ path }) => path.endsWith('/items'))).toHaveLength(2);
  });

  it('ends before anything starts when an item is not accepted, unless its caller takes that', async () => {
    const { client } = await serve();
    const lines = new Blob(['{"custom_id":"a"}\nnonsense\n']);
    await expect(client.batches.run(lines)).rejects.toMatchObject({
      code: 'ITEMS_REJECTED',
      message: expect.stringContaining('Line 2: It is not JSON.'),
    });
    const rejected: number[] = [];
    const onRejected = ({ line }: { line: number }) => rejected.push(line);
    const { batch } = await client.batches.run(lines, { onRejected, pollInterval });
    expect([batch.status, rejected]).toEqual(['completed', [2]]);
  });

  it('throws the error that ended an intake', async () => {
    const error = { code: 'INPUT_VALIDATION_ERROR', message: 'No.', retryable: false };
    const ended: Step = (response) => void response.end(`${JSON.stringify({ error })}\n`);
    const { client } = await serve({ 'POST /v1/batches/bat_1/items': [ended] });
    const thrown = await client.batches.run(items(1)).catch((one: unknown) => one);
    expect(thrown).toMatchObject({ code: 'INPUT_VALIDATION_ERROR', batch: { id: 'bat_1' } });
    expect(thrown).not.toBeInstanceOf(InvalidRequestError);
  });
});
