import { gzipSync } from 'node:zlib';
import { admitItems } from '@holdfast/db/batches/admit';
import { finishBatch } from '@holdfast/db/batches/turns';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { describe, expect, it } from '@jest/globals';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests({ COMPATIBLE_APIS: 'openai' });
const { organizationId, key } = await organizationWithKey(gateway, { balance: '100' });
const api = gateway.client(key);

const line = (customId: string, fields: object = {}) =>
  JSON.stringify({ custom_id: customId, input: { prompt: 'a lighthouse' }, ...fields });

async function newBatch(settings: object = { model: 'writer' }, as = api): Promise<string> {
  const { body } = await as.post('/v1/batches').send(settings).expect(202);
  expect(body).toMatchObject({ id: expect.stringMatching(/^bat_/), status: 'open', counts: { total: 0 } });
  return body.id;
}

type Response = Record<string, unknown> & {
  line?: number;
  error?: { code: string; details: { field: string; code: string }[] };
};

async function addTo(
  id: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response[]> {
  const sent = api.post(`/v1/batches/${id}/items`).set('Content-Type', 'application/x-ndjson').set(headers);
  const response = await sent.buffer(true).send(body).expect(200);
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  return response.text
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one));
}

const countsOf = async (id: string) => (await api.get(`/v1/batches/${id}`).expect(200)).body.counts;

describe('items', () => {
  it('are added once, however often they are sent, compressed or not', async () => {
    const id = await newBatch();
    const body = `${line('a')}\n${line('b')}\r\n\n${line('c')}`;
    expect(await addTo(id, body)).toEqual([{ accepted: 3, duplicates: 0, rejected: 0, unnamed: 0 }]);
    const more = gzipSync(`${body}\n${line('d')}\n${line('d')}\n`);
    expect(await addTo(id, more, { 'Content-Encoding': 'gzip' })).toEqual([
      { accepted: 1, duplicates: 4, rejected: 0, unnamed: 0 },
    ]);
    expect(await countsOf(id)).toMatchObject({ total: 4, waiting: 4 });
  });

  it('are added once by concurrent requests', async () => {
    const id = await newBatch();
    const body = Array.from({ length: 1200 }, (_, at) => line(`item-${at}`)).join('\n');
    const counts = await Promise.all([addTo(id, body), addTo(id, body), addTo(id, body)]);
    expect(counts.reduce((sum, [last]) => sum + Number(last?.['accepted']), 0)).toBe(1200);
    expect(counts.reduce((sum, [last]) => sum + Number(last?.['duplicates']), 0)).toBe(2400);
    expect(await countsOf(id)).toMatchObject({ total: 1200 });
  });

  it('take what is missing from the defaults of the batch', async () => {
    const id = await newBatch({
      model: 'painter',
      defaults: { input: { prompt: 'a boat', images: 2 }, metadata: { run: 1 }, timeout_seconds: 77 },
    });
    await addTo(id, `{"custom_id":"a","input":{"images":3}}\n{"custom_id":"b"}`);
    const { rows } = await gateway.context.db.pool.query(
      'SELECT custom_id, model, input, metadata, timeout_s, hold::float8 FROM batch_items WHERE batch_id = $1 ORDER BY 1',
      [id],
    );
    expect(rows).toEqual([
      {
        custom_id: 'a',
        model: 'painter',
        input: { prompt: 'a boat', images: 3 },
        metadata: { run: 1 },
        timeout_s: 77,
        hold: 0.18,
      },
      {
        custom_id: 'b',
        model: 'painter',
        input: { prompt: 'a boat', images: 2 },
        metadata: { run: 1 },
        timeout_s: 77,
        hold: 0.12,
      },
    ]);
  });

  const long = (bytes: number) => line('long', { input: { prompt: 'x'.repeat(bytes) } });
  const bad: [name: string, line: string | Buffer, code: string, field?: string][] = [
    ['text that is not JSON', 'hello', 'INVALID_FORMAT', 'line'],
    ['half of an object', '{"custom_id":"a"', 'INVALID_FORMAT', 'line'],
    ['two objects', `${line('a')} ${line('b')}`, 'INVALID_FORMAT', 'line'],
    ['a comma at its end', `${line('a')},`, 'INVALID_FORMAT', 'line'],
    ['a byte order mark in the middle', `\uFEFF${line('a')}`, 'INVALID_FORMAT', 'line'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'INVALID_FORMAT', 'line'],
    ['UTF-16', Buffer.from(line('a'), 'utf16le'), 'INVALID_FORMAT', 'line'],
    ['NUL bytes', '\0\0', 'INVALID_FORMAT', 'line'],
    ['a list', '[]', 'INVALID_TYPE', 'line'],
    ['a string', '"a"', 'INVALID_TYPE', 'line'],
    ['null', 'null', 'INVALID_TYPE', 'line'],
    ['a number', '7', 'INVALID_TYPE', 'line'],
    ['no custom_id', '{"input":{"prompt":"x"}}', 'REQUIRED', 'custom_id'],
    ['an empty custom_id', line(''), 'OUT_OF_RANGE', 'custom_id'],
    ['a custom_id that is a number', '{"custom_id":7}', 'INVALID_TYPE', 'custom_id'],
    ['a long custom_id', line('x'.repeat(257)), 'OUT_OF_RANGE', 'custom_id'],
    ['NUL in its custom_id', line('a\0b'), 'INVALID_FORMAT', 'custom_id'],
    ['NUL in its input', line('a', { input: { prompt: 'a\0b' } }), 'INVALID_FORMAT', 'input.prompt'],
    ['a lone surrogate', '{"custom_id":"a","input":{"prompt":"\\ud800"}}', 'INVALID_FORMAT', 'input.prompt'],
    ['an unknown field', line('a', { priority: 'high' }), 'UNKNOWN_FIELD', 'priority'],
    ['an unknown model', line('a', { model: 'nothing' }), 'NOT_FOUND', 'model'],
    ['a retired model', line('a', { model: 'retired' }), 'NOT_FOUND', 'model'],
    ['a model that is a list', line('a', { model: [] }), 'INVALID_TYPE', 'model'],
    ['an input that is text', line('a', { input: 'a lighthouse' }), 'INVALID_TYPE', 'input'],
    ['a missing parameter', line('a', { input: {} }), 'REQUIRED', 'input.prompt'],
    ['a parameter of the wrong type', line('a', { input: { prompt: 7 } }), 'INVALID_TYPE', 'input.prompt'],
    ['an unknown parameter', line('a', { input: { prompt: 'x', size: 7 } }), 'UNKNOWN_FIELD', 'input.size'],
    [
      'a missing file',
      line('a', { model: 'painter', input: { prompt: 'x', source: newId('file') } }),
      'NOT_FOUND',
      'input.source',
    ],
    [
      'a number that is too large',
      '{"custom_id":"a","input":{"prompt":"x","size":1e999}}',
      'OUT_OF_RANGE',
      'input.size',
    ],
    ['a short timeout', line('a', { timeout_seconds: 1 }), 'OUT_OF_RANGE', 'timeout_seconds'],
    [
      'large metadata',
      line('a', { metadata: { a: 'x'.repeat(limits.metadataBytes) } }),
      'OUT_OF_RANGE',
      'metadata',
    ],
    ['deep nesting', `{"custom_id":"a","input":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}`, 'OUT_OF_RANGE'],
    ['2 MB', long(2_000_000), 'PAYLOAD_TOO_LARGE'],
    [
      'other content than an earlier line with its custom_id',
      line('first', { metadata: { a: 1 } }),
      'DUPLICATE',
      'custom_id',
    ],
  ];

  it(`are named by their lines when they cannot be accepted, in ${bad.length} ways, and the others are added`, async () => {
    const id = await newBatch();
    const lines = bad.flatMap(([, text]) => [Buffer.from(text), Buffer.from('\n')]);
    const whole = Buffer.concat([
      Buffer.from(`\uFEFF${line('first')}\n`),
      ...lines,
      Buffer.from(long(900_000)),
    ]);
    const response = await addTo(id, whole);
    expect(response.at(-1)).toEqual({ accepted: 2, duplicates: 0, rejected: bad.length, unnamed: 0 });
    const found = response.slice(0, -1).sort((one, other) => Number(one.line) - Number(other.line));
    expect(found.map(({ line: number, error }) => [number, error?.details[0]?.code ?? error?.code])).toEqual(
      bad.map(([, , code], at) => [at + 2, code]),
    );
    expect(found.map(({ error }, at) => bad[at]?.[3] && error?.details[0]?.field)).toEqual(
      bad.map(([, , , field]) => field),
    );
  });

  it('are taken from an uploaded file, as often as it is named', async () => {
    const id = await newBatch();
    const upload = async (filename: string, text: string) =>
      (
        await api
          .post('/v1/openai/files')
          .field('purpose', 'batch')
          .attach('file', Buffer.from(text), filename)
          .expect(200)
      ).body.id;
    const take = (fileId: unknown) =>
      api.post(`/v1/batches/${id}/items`).buffer(true).send({ input_file_id: fileId });
    const fileId = await upload('items.jsonl', `${line('a')}\n[]\n${line('b')}`);
    for (const counts of [
      { accepted: 2, duplicates: 0 },
      { accepted: 0, duplicates: 2 },
    ]) {
      const [rejected, last] = (await take(fileId).expect(200)).text.trim().split('\n');
      expect(JSON.parse(rejected ?? '')).toMatchObject({
        line: 2,
        error: { code: 'INPUT_VALIDATION_ERROR' },
      });
      expect(JSON.parse(last ?? '')).toEqual({ ...counts, rejected: 1, unnamed: 0 });
    }
    expect(await countsOf(id)).toMatchObject({ total: 2, waiting: 2 });
    const table = await upload('items.csv', 'a,b');
    const { batch } = { batch: (await api.get(`/v1/batches/${id}`)).body };
    for (const [wrong, status] of [
      [table, 400],
      [newId('file'), 400],
      [batch.output_file_id, 400],
      [7, 400],
    ])
      await take(wrong).expect(status);
  });

  it('are refused by a batch that is not open, and by one of another organization', async () => {
    const id = await newBatch();
    const other = await organizationWithKey(gateway);
    const path = `/v1/batches/${id}/items`;
    expect((await gateway.client(other.key).post(path).send(line('a')).expect(404)).body.error.code).toBe(
      'NOT_FOUND',
    );
    await api.post(`/v1/batches/${id}/seal`).expect(200);
    const { body } = await api.post(path).send(line('a')).expect(409);
    expect(body.error).toMatchObject({
      code: 'BATCH_STATUS_CONFLICT',
      message: expect.stringContaining('running'),
    });
  });

  it('of a damaged body are refused, and those before the damage stay', async () => {
    const id = await newBatch();
    const body = gzipSync(line('a')).subarray(0, 20);
    await api.post(`/v1/batches/${id}/items`).set('Content-Encoding', 'gzip').send(body).expect(400);
    expect(await countsOf(id)).toMatchObject({ total: 0 });
  });
});

describe('a batch', () => {
  it('is created once for its Idempotency-Key', async () => {
    const send = (body: object) => api.post('/v1/batches').set('Idempotency-Key', 'once').send(body);
    const [first, second] = await Promise.all([send({ model: 'writer' }), send({ model: 'writer' })]);
    expect(first.body.id).toBe(second.body.id);
    expect((await send({ model: 'writer' }).expect(202)).headers['idempotent-replayed']).toBe('true');
    expect((await send({ model: 'painter' }).expect(422)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    [{ model: 'nothing' }, 'model', 'NOT_FOUND'],
    [{ max_cost: '-1' }, 'max_cost', 'INVALID_VALUE'],
    [{ completion_window_s: 59 }, 'completion_window_s', 'OUT_OF_RANGE'],
    [{ webhook_url: 'http://127.0.0.1/' }, 'webhook_url', expect.any(String)],
    [{ defaults: { prompt: 'x' } }, 'defaults.prompt', 'UNKNOWN_FIELD'],
    [{ events: 'some' }, 'events', 'INVALID_VALUE'],
  ])('as %j is refused', async (body, field, code) => {
    const refused = await api.post('/v1/batches').send(body).expect(400);
    expect(refused.body.error.details[0]).toMatchObject({ field, code });
  });

  it('is sealed once, paused, resumed and cancelled; what its status does not allow is refused', async () => {
    const id = await newBatch();
    await addTo(id, line('a'));
    const to = async (action: string, status: number, body?: object) =>
      (await api.post(`/v1/batches/${id}/${action}`).send(body).expect(status)).body;
    await to('pause', 409);
    expect(await to('seal', 200)).toMatchObject({ status: 'running', sealed_at: expect.any(String) });
    expect(await to('seal', 200)).toMatchObject({ status: 'running' });
    expect(await to('pause', 200)).toMatchObject({ status: 'paused', reason: 'requested' });
    expect(await to('resume', 200, { max_cost: '5' })).toMatchObject({ status: 'running', max_cost: '5.00' });
    await api.delete(`/v1/batches/${id}`).expect(409);
    expect(await to('cancel', 200)).toMatchObject({ status: 'finishing', ends_as: 'cancelled' });
    expect(await to('cancel', 200)).toMatchObject({ status: 'finishing' });
    await to('resume', 409);
    await to('retry', 400, { filter: {} });
    await to('retry', 409, { filter: { status: ['cancelled'] } });
  });

  it('with a reservation is refused its seal when the balance does not cover it', async () => {
    const poor = await organizationWithKey(gateway, { balance: '0.01' });
    const as = gateway.client(poor.key);
    const id = await newBatch({ model: 'writer', reserve: true }, as);
    await as.post(`/v1/batches/${id}/items`).send(line('a')).expect(200);
    const { body } = await as.post(`/v1/batches/${id}/seal`).expect(402);
    expect(body.error).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('0.012'),
    });
  });

  it('is listed, newest first, with its items', async () => {
    const { key: own, organizationId: owner } = await organizationWithKey(gateway, { balance: '10' });
    const as = gateway.client(own);
    const [first, second] = [await newBatch(undefined, as), await newBatch(undefined, as)];
    const { body: page } = await as.get('/v1/batches?limit=1').expect(200);
    expect(page).toMatchObject({ data: [{ id: second }], has_more: true, next_cursor: second });
    expect((await as.get(`/v1/batches?cursor=${second}&status=open,running`)).body.data).toMatchObject([
      { id: first },
    ]);
    expect((await as.get('/v1/batches?status=paused').expect(200)).body.data).toEqual([]);
    await as
      .post(`/v1/batches/${first}/items`)
      .send(`${line('b')}\n${line('a')}`)
      .expect(200);
    await as.post(`/v1/batches/${first}/seal`).expect(200);
    await admitItems(
      gateway.context.db,
      { id: first, organizationId: owner, apiKeyId: 'k' },
      [newId('exec')],
      10,
    );
    const { body: items } = await as.get(`/v1/batches/${first}/items?limit=1`).expect(200);
    expect(items).toMatchObject({
      data: [{ custom_id: 'a', status: 'waiting', execution_id: null }],
      next_cursor: 'a',
    });
    const { body: running } = await as.get(`/v1/batches/${first}/items?status=running`).expect(200);
    expect(running.data).toMatchObject([{ custom_id: 'b', hold_amount: '0.012', cost: null, error: null }]);
    const { execution_id: execution } = running.data[0];
    expect((await as.get(`/v1/executions/${execution}`).expect(200)).body).toMatchObject({
      batch_id: first,
      custom_id: 'b',
      priority: 'batch',
    });
    expect((await api.get(`/v1/batches/${first}`).expect(404)).body.error.code).toBe('NOT_FOUND');
  });

  it('of another key is hidden from a key that is limited to models', async () => {
    const id = await newBatch();
    const { body } = await api
      .post('/v1/api-keys')
      .send({ name: 'limited', models: ['writer'] })
      .expect(201);
    const limited = gateway.client(body.key);
    await limited.get(`/v1/batches/${id}`).expect(404);
    expect((await limited.get('/v1/batches').expect(200)).body.data).toEqual([]);
    const own = await newBatch(undefined, limited);
    const sent = await limited
      .post(`/v1/batches/${own}/items`)
      .send(line('a', { model: 'painter' }))
      .expect(200);
    expect(sent.text).toContain('FORBIDDEN');
  });
});

it('the files of a batch are read as any file, and are gone once it is erased', async () => {
  const id = await newBatch();
  await addTo(id, `${line('a', { metadata: { order: 7 } })}\n${line('b')}`);
  await api.post(`/v1/batches/${id}/seal`).expect(200);
  const [execution] = [newId('exec')];
  await admitItems(gateway.context.db, { id, organizationId, apiKeyId: 'k' }, [execution], 10);
  await api.post(`/v1/executions/${execution}/cancel`).expect(200);
  await finishBatch(gateway.context.db, { id, organizationId }, 'cancelled');
  const { body: batch } = await api.get(`/v1/batches/${id}`).expect(200);
  const files = [batch.output_file_id, batch.error_file_id];
  const [output, errors] = await Promise.all(
    files.map(async (file) => (await api.get(`/v1/files/${file}/download`).buffer(true).expect(200)).text),
  );
  expect(output).toBe('');
  expect(JSON.parse(String(errors))).toEqual({
    custom_id: 'a',
    execution_id: execution,
    status: 'cancelled',
    model: 'writer',
    metadata: { order: 7 },
    cost: null,
    error: null,
  });
  expect((await api.get(`/v1/files/${files[1]}`).expect(200)).body).toMatchObject({
    filename: `${id}_errors.jsonl`,
    content_type: 'application/x-ndjson',
    status: 'ready',
  });
  await api.get(`/v1/files/${files[0]}/url`).expect(404);
  const { key: other } = await organizationWithKey(gateway);
  await gateway.client(other).get(`/v1/files/${files[1]}/download`).expect(404);
});
