import { admitItems } from '@holdfast/db/batches/admit';
import { claimFileIntake } from '@holdfast/db/batches/fileIntake';
import { endBatch, finishBatch } from '@holdfast/db/batches/turns';
import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway } from '../testing/faceGateway.ts';
import { takeBatchFiles } from './batchIntake.ts';

const text = {
  type: 'object' as const,
  properties: { prompt: { type: 'string' } },
  additionalProperties: false,
};
const { post, gateway, key, organizationId } = await faceGateway('openai', [
  { slug: 'writer', input_schema: text, output: { kind: 'text' } },
  { slug: 'embedder', input_schema: { type: 'object' }, output: { kind: 'raw' } },
]);
const { context } = gateway;
const client = gateway.client(key);
const path = '/v1/openai/batches';
const chat = '/v1/chat/completions';

const bodies: Record<string, object> = {
  [chat]: { model: 'writer', messages: [{ role: 'user', content: 'Hello' }] },
  '/v1/completions': { model: 'writer', prompt: 'Hello' },
  '/v1/responses': { model: 'writer', input: 'Hello' },
  '/v1/embeddings': { model: 'embedder', input: 'Hello' },
};

const request = (custom_id: string, url = chat, body: object = {}) =>
  JSON.stringify({ custom_id, method: 'POST', url, body: { ...bodies[url], ...body } });

async function upload(lines: readonly string[]): Promise<string> {
  const sent = post('/files')
    .field('purpose', 'batch')
    .attach('file', Buffer.from(lines.join('\n')), 'in.jsonl');
  return (await sent.expect(200)).body.id;
}

const create = async (input_file_id: string, endpoint = chat, headers: Record<string, string> = {}) =>
  (
    await post('/batches')
      .set(headers)
      .send({ input_file_id, endpoint, completion_window: '24h', metadata: { run: '7' } })
      .expect(200)
  ).body;

const take = () => takeBatchFiles(context, new AbortController().signal);
const read = async (id: string) => (await client.get(`${path}/${id}`).expect(200)).body;

/** The batch once its file is taken. */
async function taken(lines: readonly string[], endpoint = chat) {
  const { id } = await create(await upload(lines), endpoint);
  await take();
  return await read(id);
}

/** Ends the executions of a batch as the provider and the ledger would. */
async function run(batchId: string, endings: Record<string, object>): Promise<void> {
  const { db } = context;
  const { apiKeyId } = await db.prisma.batch.findUniqueOrThrow({ where: { id: batchId } });
  const ids = Object.keys(endings).map(() => newId('exec'));
  await admitItems(db, { id: batchId, organizationId, apiKeyId }, ids, 100);
  for (const [customId, ending] of Object.entries(endings)) {
    const { id } = await db.prisma.execution.findFirstOrThrow({
      where: { batchId, customId, completedAt: null },
    });
    await db.prisma.execution.update({ where: { id }, data: { completedAt: new Date(), ...ending } });
  }
}

async function linesOf(fileId: string) {
  const content = await client.get(`/v1/openai/files/${fileId}/content`).buffer(true).expect(200);
  return content.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const completed = (output: object) => ({
  status: 'COMPLETED',
  cost: '0.01',
  inputTokens: 3,
  outputTokens: 4,
  output,
});

describe('a batch', () => {
  it('runs the requests of a file, and its files have their responses', async () => {
    const fileId = await upload([request('a'), request('b'), request('c')]);
    const created = await create(fileId);
    expect(created).toMatchObject({
      object: 'batch',
      endpoint: chat,
      status: 'validating',
      input_file_id: fileId,
      completion_window: '24h',
      metadata: { run: '7' },
      output_file_id: null,
      error_file_id: null,
    });
    await take();
    expect(await read(created.id)).toMatchObject({
      status: 'in_progress',
      in_progress_at: expect.any(Number),
      request_counts: { total: 3, completed: 0, failed: 0 },
    });
    await run(created.id, {
      a: completed({ text: 'Hi' }),
      b: { status: 'FAILED', errorCode: 'CONTENT_MODERATION_REJECTED', errorMessage: 'No.' },
    });
    const { output_file_id, error_file_id, request_counts } = await read(created.id);
    expect(request_counts).toEqual({ total: 3, completed: 1, failed: 1 });
    const id = expect.stringMatching(/^batch_req_/);
    expect(await linesOf(output_file_id)).toEqual([
      {
        id,
        custom_id: 'a',
        error: null,
        response: {
          status_code: 200,
          request_id: expect.stringMatching(/^exec_/),
          body: expect.objectContaining({
            object: 'chat.completion',
            model: 'writer',
            choices: [expect.objectContaining({ message: expect.objectContaining({ content: 'Hi' }) })],
            usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
          }),
        },
      },
    ]);
    const error = expect.objectContaining({ code: 'content_policy_violation', message: 'No.' });
    expect(await linesOf(error_file_id)).toEqual([
      {
        id,
        custom_id: 'b',
        error: null,
        response: { status_code: 400, request_id: expect.any(String), body: { error } },
      },
    ]);
    expect((await client.get(`/v1/openai/files/${output_file_id}`).expect(200)).body).toMatchObject({
      purpose: 'batch_output',
      filename: `${created.id}_output.jsonl`,
    });
    expect((await client.post(`${path}/${created.id}/cancel`).expect(200)).body.status).toBe('cancelling');
  });

  it.each([
    [
      '/v1/completions',
      { text: 'Hi' },
      { object: 'text_completion', choices: [expect.objectContaining({ text: 'Hi' })] },
    ],
    ['/v1/responses', { text: 'Hi' }, { object: 'response', status: 'completed', model: 'writer' }],
    [
      '/v1/embeddings',
      { output: [1, 2] },
      { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 2] }] },
    ],
  ])('runs requests of %s', async (endpoint, output, body) => {
    const { id } = await taken([request('a', endpoint)], endpoint);
    await run(id, { a: completed(output) });
    const { output_file_id } = await read(id);
    expect((await linesOf(output_file_id))[0].response.body).toMatchObject(body);
  });

  it.each([
    ['a request of another endpoint', [request('a'), request('b', '/v1/embeddings')], 'url_mismatch', 2],
    ['no JSON', [request('a', chat, { model: 'nothing' }), 'x'], 'invalid_json_line', 2],
    [
      'a custom_id twice',
      [request('a'), request('a', chat, { messages: [{ role: 'user', content: 'Bye' }] })],
      'duplicate_custom_id',
      2,
    ],
    ['no custom_id', ['{}'], 'required', 1],
    ['no request', [' '], 'empty_file', null],
  ])('with %s in its file fails, and runs nothing', async (_name, lines, code, line) => {
    const failed = await taken(lines);
    expect(failed).toMatchObject({ status: 'failed', request_counts: { total: 0 } });
    expect(failed.errors.data.map((one: object) => ({ code, line, ...one }))).toEqual(failed.errors.data);
    expect(failed.errors.data.at(-1)).toMatchObject({ code, line, message: expect.any(String) });
  });

  it('has an error for each request that its endpoint refuses, runs the others, and charges nothing for it', async () => {
    const bad: [body: object, status: number, error: object][] = [
      [{ messages: null }, 400, { param: 'messages', code: 'required', type: 'invalid_request_error' }],
      [{ model: 'nothing' }, 404, { param: 'model', code: 'model_not_found' }],
      [{ model: 7 }, 400, { param: 'model', code: 'invalid_type' }],
      [{ n: 2 }, 400, { param: 'n', code: 'unsupported_parameter' }],
      [{ stream: true }, 400, { param: 'stream', code: 'unsupported_parameter' }],
    ];
    const lines = bad.map(([body], at) => request(`bad-${at}`, chat, body));
    const { id, error_file_id, ...batch } = await taken([...lines, request('good')]);
    expect(batch).toMatchObject({
      status: 'in_progress',
      errors: null,
      request_counts: { total: 6, completed: 0, failed: 5 },
    });
    const seen = await linesOf(error_file_id);
    expect(seen.map((line) => [line.custom_id, line.error])).toEqual(bad.map((_, at) => [`bad-${at}`, null]));
    expect(seen.map(({ response }) => response)).toEqual(
      bad.map(([, status_code, error], at) => ({
        status_code,
        request_id: seen[at].id,
        body: { error: expect.objectContaining({ ...error, message: expect.any(String) }) },
      })),
    );
    // The sweep repeats what a gateway began: nothing is added or counted twice.
    await context.db.pool.query(`UPDATE batches SET status = 'open', intake_at = now() WHERE id = $1`, [id]);
    await take();
    await run(id, { good: completed({ text: 'Hi' }) });
    const native = (await client.get(`/v1/batches/${id}`).expect(200)).body;
    expect(native).toMatchObject({
      counts: { total: 6, completed: 1, failed: 5, waiting: 0 },
      cost: '0.01',
      held: '0.00',
    });
    const items = (await client.get(`/v1/batches/${id}/items?status=failed&limit=2`).expect(200)).body.data;
    expect(items).toMatchObject([
      {
        custom_id: 'bad-0',
        model: 'writer',
        execution_id: null,
        cost: null,
        error: { code: 'INPUT_VALIDATION_ERROR' },
      },
      { model: 'nothing', hold_amount: '0.00', error: { code: 'NOT_FOUND' } },
    ]);
    const retry = client.post(`/v1/batches/${id}/retry`).send({ filter: { status: ['failed'] } });
    expect((await retry.expect(200)).body.retried).toBe(0);
  });

  it('is taken up by another gateway when one dies, and has each line once', async () => {
    const { id } = await create(await upload([request('a'), request('b')]));
    // The one that dies has the lease.
    expect(await claimFileIntake(context.db)).toMatchObject({ id });
    await take();
    expect((await read(id)).status).toBe('validating');
    for (const status of ['open', 'running']) {
      await context.db.pool.query('UPDATE batches SET intake_at = now() WHERE id = $1 AND status = $2', [
        id,
        status,
      ]);
      await take();
    }
    expect(await read(id)).toMatchObject({ status: 'in_progress', request_counts: { total: 2 } });
  });

  it('is created once when a client repeats its request, and twice when it is asked for twice', async () => {
    const fileId = await upload([request('a')]);
    const first = await create(fileId);
    expect((await create(fileId, chat, { 'x-stainless-retry-count': '1' })).id).toBe(first.id);
    expect((await create(fileId)).id).not.toBe(first.id);
    await take();
  });

  it('is refused with an unknown file, endpoint or window', async () => {
    const fileId = await upload([request('a')]);
    const send = (fields: object) =>
      post('/batches').send({ input_file_id: fileId, endpoint: chat, completion_window: '24h', ...fields });
    for (const fields of [
      { input_file_id: newId('file') },
      { endpoint: '/v1/videos' },
      { completion_window: '1h' },
    ])
      await send(fields).expect(400);
  });

  it('is listed, newest first, for its organization alone', async () => {
    await client.post('/v1/batches').send({ model: 'writer' }).expect(202);
    const { body } = await client.get(`${path}?limit=2`).expect(200);
    expect(body).toMatchObject({ object: 'list', has_more: true, last_id: body.data[1].id });
    const next = (await client.get(`${path}?limit=100&after=${body.last_id}`).expect(200)).body.data;
    expect(next[0].created_at).toBeLessThanOrEqual(body.data[1].created_at);
    expect([...body.data, ...next].every(({ endpoint }) => endpoint !== null)).toBe(true);
    const other = gateway.client((await organizationWithKey(gateway)).key);
    expect((await other.get(path).expect(200)).body.data).toEqual([]);
    await other.get(`${path}/${body.last_id}`).expect(404);
  });

  it('has files of the size of their contents once it has ended, and again after a retry', async () => {
    const { id } = await taken([request('a'), request('b'), request('bad', chat, { n: 2 })]);
    await run(id, {
      a: completed({ text: 'Grüße' }),
      b: { status: 'FAILED', errorCode: 'GENERATION_FAILED', errorMessage: 'No.' },
    });
    const { output_file_id, error_file_id } = await read(id);
    const bytesOf = async (file: string) =>
      (await client.get(`/v1/openai/files/${file}`).expect(200)).body.bytes;
    const contentOf = async (file: string) =>
      (await client.get(`/v1/openai/files/${file}/content`).buffer(true).expect(200)).text;
    const end = async () => {
      await finishBatch(context.db, { id, organizationId }, 'completed');
      await endBatch(context.db, { id, organizationId, webhookUrl: null });
      expect((await read(id)).status).toBe('completed');
    };
    expect(await bytesOf(output_file_id)).toBe(0);
    await end();
    expect(await bytesOf(output_file_id)).toBe(Buffer.byteLength(await contentOf(output_file_id)));
    expect(await bytesOf(error_file_id)).toBe(Buffer.byteLength(await contentOf(error_file_id)));

    const retry = client.post(`/v1/batches/${id}/retry`).send({ filter: { custom_ids: ['b'] } });
    expect((await retry.expect(200)).body.retried).toBe(1);
    expect(await bytesOf(error_file_id)).toBe(0);
    await run(id, { b: completed({ text: 'Hi' }) });
    await end();
    const { data } = (await client.get('/v1/openai/files?purpose=batch_output').expect(200)).body;
    const listed = data.find((file: { id: string }) => file.id === output_file_id).bytes;
    const content = await contentOf(output_file_id);
    expect([listed, content.trim().split('\n').length]).toEqual([Buffer.byteLength(content), 2]);
  });

  it('names the requests that its cancel or its window kept from running', async () => {
    const { id } = await taken([request('a')]);
    await context.db.pool.query(
      `UPDATE batches SET status = 'finishing', ends_as = 'expired', waiting = 0, expired = 1, ended = 1 WHERE id = $1`,
      [id],
    );
    await context.db.pool.query(`UPDATE batch_items SET status = 'expired', number = 1 WHERE batch_id = $1`, [
      id,
    ]);
    await endBatch(context.db, { id, organizationId, webhookUrl: null });
    const { status, error_file_id } = await read(id);
    expect(status).toBe('expired');
    expect(await linesOf(error_file_id)).toMatchObject([
      { response: null, error: { code: 'batch_expired' } },
    ]);
  });
});
