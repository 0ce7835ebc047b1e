import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../../adminApp.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { key, organizationId } = await organizationWithKey(gateway, { balance: '1000' });

const get = (path: string, as = key) => gateway.client(as).get(path);
const post = (path: string, body?: object, as = key) => gateway.client(as).post(path).send(body);
const create = (body: object, idempotencyKey?: string, as = key) => {
  const sent = post('/v1/executions', body, as);
  return idempotencyKey === undefined ? sent : sent.set('Idempotency-Key', idempotencyKey);
};
const details = (body: { error: { details: { field: string; code: string }[] } }) =>
  body.error.details.map(({ field, code }) => `${field} ${code}`).sort();
const executionsOf = (id: string) =>
  gateway.context.db.prisma.execution.count({ where: { organizationId: id } });
const end = (id: string, status: 'COMPLETED' | 'FAILED') =>
  gateway.context.db.prisma.execution.update({
    where: { id },
    data: {
      status,
      completedAt: new Date(),
      ...(status === 'FAILED' && { errorCode: 'MODEL_OVERLOADED', errorMessage: 'too busy' }),
      ...(status === 'COMPLETED' && {
        cost: '0.012',
        output: { text: 'hello' },
        latencyMs: 1234,
        inputTokens: 3,
        outputTokens: 4,
        billed: { seconds: 2.023, estimated: ['seconds'] },
        logs: 'a line',
        logsTotal: 6,
      }),
    },
  });

describe('POST /v1/executions', () => {
  it('returns 202 with the create response, and holds estimate x 1.2', async () => {
    const { organizationId: own, key: ownKey } = await organizationWithKey(gateway, { balance: '10' });
    const { body } = await create(
      { model: 'painter', input: { prompt: 'a', images: 2 } },
      undefined,
      ownKey,
    ).expect(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^exec_[0-9a-f-]{36}$/),
      status: 'PENDING',
      model: 'painter',
      hold_amount: '0.12',
      estimated_cost: '0.10',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      urls: expect.any(Object),
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(300_000);
    const balance = await get('/v1/balance', ownKey).expect(200);
    expect(balance.body).toEqual({
      available: '9.88',
      held: '0.12',
      total: '10.00',
      currency: 'USD',
      spend_limit: null,
    });
    expect(await executionsOf(own)).toBe(1);
  });

  it('prefers timeout_seconds to the timeout of the model', async () => {
    const { body } = await create({ model: 'writer', input: { prompt: 'a' }, timeout_seconds: 10 }).expect(
      202,
    );
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(10_000);
  });

  it('reports all problems of an input at once', async () => {
    const { body } = await create({
      model: 'painter',
      input: { width: 5, format: 'bmp', cost: true, extra: 1, images: '2', style: { tone: 1, other: 2 } },
      webhook_url: 'http://127.0.0.1/hook',
    }).expect(400);
    expect(body.error.code).toBe('INPUT_VALIDATION_ERROR');
    expect(details(body)).toEqual([
      'input.cost INVALID_VALUE',
      'input.extra UNKNOWN_FIELD',
      'input.format INVALID_VALUE',
      'input.images INVALID_TYPE',
      'input.prompt REQUIRED',
      'input.style.other UNKNOWN_FIELD',
      'input.style.tone INVALID_TYPE',
      'input.width OUT_OF_RANGE',
      'webhook_url INVALID_URL',
    ]);
  });

  it.each([
    [{}, ['input REQUIRED', 'model REQUIRED']],
    [{ model: 'unknown', input: {} }, ['model NOT_FOUND']],
    [{ model: 'retired', input: {} }, ['model NOT_FOUND']],
    [{ model: 'writer', input: [] }, ['input INVALID_TYPE']],
    [{ model: 'writer', input: 'text' }, ['input INVALID_TYPE']],
    [{ model: 7, input: {} }, ['model INVALID_TYPE']],
    [{ model: 'writer', input: { prompt: 'a' }, urgency: 1 }, ['urgency UNKNOWN_FIELD']],
    [{ model: 'writer', input: { prompt: 'a' }, priority: 1 }, ['priority INVALID_VALUE']],
    [{ model: 'writer', input: { prompt: 'a' }, priority: 'urgent' }, ['priority INVALID_VALUE']],
    [{ model: 'writer', input: { prompt: 'a' }, metadata: [] }, ['metadata INVALID_TYPE']],
    [{ model: 'writer', input: { prompt: 'a' }, timeout_seconds: 9 }, ['timeout_seconds OUT_OF_RANGE']],
    [{ model: 'writer', input: { prompt: 'a' }, timeout_seconds: 86_401 }, ['timeout_seconds OUT_OF_RANGE']],
    [{ model: 'writer', input: { prompt: 'a' }, timeout_seconds: 10.5 }, ['timeout_seconds INVALID_TYPE']],
    [{ model: 'writer', input: { prompt: 'a' }, webhook_url: 'nonsense' }, ['webhook_url INVALID_URL']],
    [
      { model: 'writer', input: { prompt: 'a' }, webhook_url: 'https://GATEWAY.test./own' },
      ['webhook_url INVALID_URL'],
    ],
    [
      { model: 'painter', input: { prompt: 'a', source: 'https://x.test/a.png' } },
      ['input.source INVALID_FORMAT'],
    ],
  ])('refuses %j', async (body, expected) => {
    const before = await executionsOf(organizationId);
    const response = await create(body).expect(400);
    expect(details(response.body)).toEqual(expected);
    expect(await executionsOf(organizationId)).toBe(before);
  });

  it('accepts a priority, which a replay must repeat', async () => {
    const urgent = { model: 'writer', input: { prompt: 'a' }, priority: 'high' };
    const { body } = await create(urgent, 'urgent-1').expect(202);
    expect((await get(`/v1/executions/${body.id}`)).body.priority).toBe('high');
    expect((await create(urgent, 'urgent-1').expect(202)).body.id).toBe(body.id);
    await create({ ...urgent, priority: 'low' }, 'urgent-1').expect(422);
    const row = await gateway.context.db.prisma.execution.findUniqueOrThrow({ where: { id: body.id } });
    expect(row.priority).toBe(0);
  });

  it('refuses metadata of more than 16 KiB', async () => {
    const fits = { text: 'y'.repeat(16_384 - '{"text":""}'.length) };
    await create({ model: 'writer', input: { prompt: 'a' }, metadata: fits }).expect(202);
    const metadata = { text: `${fits.text}y` };
    const { body } = await create({ model: 'writer', input: { prompt: 'a' }, metadata }).expect(400);
    expect(details(body)).toEqual(['metadata OUT_OF_RANGE']);
  });

  it('accepts any JSON object as metadata and returns it', async () => {
    const metadata = JSON.parse('{"__proto__":{"a":1},"deep":{"list":[1,null]},"ключ":"значение"}');
    const { body } = await create({ model: 'writer', input: { prompt: 'a' }, metadata }).expect(202);
    const { text } = await get(`/v1/executions/${body.id}`).expect(200);
    expect(JSON.stringify(JSON.parse(text).metadata)).toContain('"__proto__":{"a":1}');
  });

  it('refuses unknown files, and takes what looks like one in a text for text', async () => {
    const prompt = newId('file');
    const response = await create({ model: 'painter', input: { prompt, source: 'file_nope' } }).expect(400);
    expect(response.body.error.code).toBe('FILE_NOT_FOUND');
    expect(details(response.body)).toEqual(['input.source NOT_FOUND']);
    await create({ model: 'painter', input: { prompt } }).expect(202);
  });

  it('keeps the digits of long integers, and tells requests apart by them', async () => {
    const seeds = ['18446744073709551615', '18446744073709551614', '1e400'];
    const send = (seed: string) =>
      gateway
        .client(key)
        .post('/v1/executions')
        .set('Idempotency-Key', 'seeds')
        .type('json')
        .send(`{"model":"painter","input":{"prompt":"a","seed":${seed}},"metadata":{"seed":${seed}}}`);
    const [first, other, infinite] = [
      await send(seeds[0] ?? ''),
      await send(seeds[1] ?? ''),
      await send(seeds[2] ?? ''),
    ];
    expect([first.status, other.status, infinite.status]).toEqual([202, 422, 400]);
    expect((await send(seeds[0] ?? '')).status).toBe(202);
    const { text } = await get(`/v1/executions/${first.body.id}`).expect(200);
    expect(text).toContain('"metadata":{"seed":18446744073709551615}');
    const { pool } = gateway.context.db;
    const { rows } = await pool.query('SELECT input FROM executions WHERE id = $1', [first.body.id]);
    expect(rows).toEqual([{ input: { prompt: 'a', seed: 18446744073709551615n } }]);
  });

  it('returns 402 for an overflowing estimate without failing the batch', async () => {
    const [huge, fine] = await Promise.all([
      create({ model: 'painter', input: { prompt: 'a', images: 1e300 } }),
      create({ model: 'painter', input: { prompt: 'a' } }),
    ]);
    expect([huge.status, huge.body.error.code, fine.status]).toEqual([402, 'INSUFFICIENT_BALANCE', 202]);
  });
});

describe('a field that is null', () => {
  it('counts as absent when it is optional, also in the input and in the idempotency hash', async () => {
    const bare = { model: 'painter', input: { prompt: 'a' } };
    const nulls = { webhook_url: null, metadata: null, priority: null, timeout_seconds: null };
    const first = await create({ ...bare, ...nulls }, 'nulls').expect(202);
    const again = await create(bare, 'nulls').expect(202);
    expect(again.body).toEqual(first.body);
    const { body } = await create({ model: 'painter', input: { prompt: 'a', width: null, style: null } });
    const { input } = await gateway.context.db.prisma.execution.findUniqueOrThrow({ where: { id: body.id } });
    expect(input).toEqual({ prompt: 'a' });
  });

  it('is missing when it is required', async () => {
    const { body } = await create({ model: null, input: { prompt: 'a' } }).expect(400);
    expect(details(body)).toEqual(['model REQUIRED']);
    const { body: response } = await create({ model: 'writer', input: { prompt: null } }).expect(400);
    expect(details(response)).toEqual(['input.prompt REQUIRED']);
  });
});

describe('Idempotency-Key', () => {
  const body = { model: 'writer', input: { prompt: 'once' } };

  it('returns the original, marked as replayed, for the same key and request', async () => {
    const first = await create(body, 'order-1').expect(202);
    const again = await create({ input: { prompt: 'once' }, model: 'writer' }, 'order-1').expect(202);
    expect(again.body).toEqual(first.body);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('refuses another request under the same key with 422, valid or not', async () => {
    await create(body, 'order-2').expect(202);
    const other = await create({ ...body, input: { prompt: 'twice' } }, 'order-2').expect(422);
    expect(other.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    await create({ ...body, input: {} }, 'order-2').expect(422);
  });

  it('is not used up by a refused request', async () => {
    await create({ ...body, input: {} }, 'order-3').expect(400);
    const { key: poor, organizationId: poorId } = await organizationWithKey(gateway);
    await create(body, 'order-3', poor).expect(402);
    await create(body, 'order-3').expect(202);
    expect(await executionsOf(poorId)).toBe(0);
  });

  it.each(['order A 17', '"order-A-17"', '~'.repeat(255)])(
    'may be %j, as RFC 8941 strings are',
    async (value) => {
      const first = await create(body, value).expect(202);
      expect((await create(body, value).expect(202)).body.id).toBe(first.body.id);
    },
  );

  it.each([
    ['one of 256 characters', 'x'.repeat(256)],
    ['one beyond ASCII', 'caf\u00e9'],
    ['one with a tab', 'a\tb'],
    ['an empty one', ''],
  ])('refuses %s', async (_name, bad) => {
    const { body: response } = await create(body, bad).expect(400);
    expect(details(response)).toEqual(['Idempotency-Key INVALID_FORMAT']);
  });
});

describe('reading executions', () => {
  it('returns 404, never 403, to another organization on every path', async () => {
    const { body } = await create({ model: 'writer', input: { prompt: 'mine' } }).expect(202);
    const { key: outsider } = await organizationWithKey(gateway);
    await get(`/v1/executions/${body.id}`, outsider).expect(404);
    await get(`/v1/executions/${body.id}/input`, outsider).expect(404);
    await get(`/v1/executions/${body.id}/result`, outsider).expect(404);
    await post(`/v1/executions/${body.id}/cancel`, undefined, outsider).expect(404);
    await get(`/v1/executions/${body.id}`).expect(200);
  });

  it.each(['exec_nope', 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d', 'exec_%00', '%F0%28', "'; drop table"])(
    '%j is 404',
    async (id) => {
      const { body } = await get(`/v1/executions/${encodeURI(id).replaceAll('%25', '%')}`).expect(404);
      expect(body.error.code).toBe('NOT_FOUND');
    },
  );

  it('returns the submitted and the current fields in the status record', async () => {
    const sent = {
      model: 'writer',
      input: { prompt: 'a' },
      metadata: { n: 1 },
      webhook_url: 'https://example.com/h',
    };
    const { body: created } = await create(sent).expect(202);
    const { body } = await get(`/v1/executions/${created.id}`).expect(200);
    expect(body).toEqual({
      ...created,
      mode: 'ASYNC',
      priority: 'normal',
      progress: null,
      queue_position: null,
      logs: null,
      metadata: { n: 1 },
      webhook_url: 'https://example.com/h',
      started_at: null,
      completed_at: null,
      cost: null,
      error: null,
      erased_at: null,
    });
    const { body: submitted } = await get(`/v1/executions/${created.id}/input`).expect(200);
    expect(submitted).toEqual({ execution_id: created.id, input: sent.input });
  });

  it('returns the last reported progress and log; a list omits the log', async () => {
    const { key: own } = await organizationWithKey(gateway, { balance: '5' });
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } }, undefined, own);
    await gateway.context.db.prisma.execution.update({
      where: { id: created.id },
      data: { status: 'PROCESSING', progress: 0.35, queuePosition: 4, logs: 'one\ntwo\n', logsTotal: 8 },
    });
    const { body } = await get(`/v1/executions/${created.id}`, own);
    expect(body).toMatchObject({ progress: 0.35, queue_position: 4, logs: 'one\ntwo\n' });
    const { logs: _logs, urls: _urls, ...listed } = body;
    expect((await get('/v1/executions', own)).body.data).toEqual([listed]);
    await end(created.id, 'COMPLETED');
    const { body: done } = await get(`/v1/executions/${created.id}`, own);
    expect(done).toMatchObject({ status: 'COMPLETED', progress: 1, queue_position: null });
  });

  it('returns 409 with Retry-After for a result until the execution has completed', async () => {
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } }).expect(202);
    const early = await get(`/v1/executions/${created.id}/result`).expect(409);
    expect(early.body.error).toMatchObject({ code: 'EXECUTION_NOT_READY', retryable: true });
    expect(early.headers['retry-after']).toBe('2');
    await end(created.id, 'COMPLETED');
    const { body } = await get(`/v1/executions/${created.id}/result`).expect(200);
    expect(body).toEqual({
      execution_id: created.id,
      status: 'COMPLETED',
      output: { text: 'hello' },
      usage: { input_tokens: 3, output_tokens: 4, seconds: 2.023, estimated: ['seconds'] },
      cost: '0.012',
      latency_ms: 1234,
    });
    const { body: record } = await get(`/v1/executions/${created.id}`);
    expect(record).toMatchObject({ status: 'COMPLETED', cost: '0.012', result: { text: 'hello' } });
  });

  it('returns the error and no result of a failed execution', async () => {
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } }).expect(202);
    await end(created.id, 'FAILED');
    const { body } = await get(`/v1/executions/${created.id}/result`).expect(409);
    expect(body.error).toMatchObject({ code: 'EXECUTION_NOT_COMPLETED', retryable: false });
    const { body: record } = await get(`/v1/executions/${created.id}`);
    expect(record.error).toEqual({
      code: 'MODEL_OVERLOADED',
      message: 'too busy',
      retryable: true,
      doc_url: expect.stringMatching(/^http.*\/docs\/errors\/MODEL_OVERLOADED$/),
    });
    const { body: list } = await get('/v1/executions?status=FAILED');
    expect(list.data[0].error).toEqual(record.error);
    const stream = await get(`/v1/executions/${created.id}/events`);
    expect(stream.text).toContain(JSON.stringify(record.error));
  });

  it('lists newest first, page by page, with filters', async () => {
    const { key: own } = await organizationWithKey(gateway, { balance: '10' });
    const ids: string[] = [];
    for (const model of ['writer', 'painter', 'writer', 'writer', 'writer']) {
      const { body } = await create({ model, input: { prompt: 'a' } }, undefined, own).expect(202);
      ids.unshift(body.id);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await get(`/v1/executions?limit=2${cursor && `&cursor=${cursor}`}`, own).expect(200);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(ids);

    const count = async (query: string) =>
      (await get(`/v1/executions?${query}`, own).expect(200)).body.data.length;
    expect(await count('model=painter')).toBe(1);
    expect(await count('status=PENDING&model=writer')).toBe(4);
    expect(await count('status=FAILED')).toBe(0);
    expect(await count('created_after=2020-01-01T00:00:00Z&created_before=2999-01-01T00:00:00%2B02:00')).toBe(
      5,
    );
    expect(await count('created_before=2020-01-01T00:00:00Z')).toBe(0);
  });

  it('lists by a member of the metadata, as text, and of the own organization alone', async () => {
    const [mine, theirs] = [
      await organizationWithKey(gateway, { balance: '10' }),
      await organizationWithKey(gateway, { balance: '10' }),
    ];
    for (const { key: as } of [mine, theirs])
      for (const metadata of [{ order: 'A-17' }, { order: 17, note: 'A-17' }, { 'a.b': '%' }])
        await create({ model: 'writer', input: { prompt: 'a' }, metadata }, undefined, as).expect(202);
    const found = async (name: string, value: string) => {
      const query = new URLSearchParams({ metadata_name: name, metadata_value: value });
      const { body } = await get(`/v1/executions?${query.toString()}`, mine.key).expect(200);
      return body.data.map(({ metadata }: { metadata: unknown }) => metadata);
    };
    expect(await found('order', 'A-17')).toEqual([{ order: 'A-17' }]);
    expect(await found('order', '17')).toEqual([{ order: 17, note: 'A-17' }]);
    expect(await found('a.b', '%')).toEqual([{ 'a.b': '%' }]);
    expect(await found('order', 'none')).toEqual([]);
  });

  it('ends a page before its limit when the outputs are large, and the next one has the others', async () => {
    const owner = await organizationWithKey(gateway, { balance: '10' });
    const ids: string[] = [];
    for (let nth = 0; nth < 4; nth++) {
      const sent = create({ model: 'writer', input: { prompt: 'a' } }, undefined, owner.key);
      ids.unshift((await sent.expect(202)).body.id);
    }
    await gateway.context.db.pool.query(
      `UPDATE executions SET status = 'COMPLETED', completed_at = now(), cost = 0.01,
         output = json_build_object('text', repeat('x', 3000000)) WHERE organization_id = $1`,
      [owner.organizationId],
    );
    const admin = clientOf(createAdminApp(gateway.context), gateway.context.config.ADMIN_TOKEN);
    const lists = [
      { path: '/v1/executions?limit=4', client: gateway.client(owner.key) },
      { path: `/admin/v1/executions?limit=4&organization_id=${owner.organizationId}`, client: admin },
    ];
    for (const { path, client } of lists) {
      const { body: first } = await client.get(path).expect(200);
      expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
      expect(first).toMatchObject({ has_more: true, next_cursor: ids[2] });
      const { body: second } = await client.get(`${path}&cursor=${first.next_cursor}`).expect(200);
      expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3));
      expect(second).toMatchObject({ has_more: false, next_cursor: null });
    }
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'status=DONE',
    'cursor=x',
    'created_after=yesterday',
    'metadata_name=order',
    'limit=1&limit=2',
  ])('refuses the list of %s', async (query) => {
    const { body } = await get(`/v1/executions?${query}`).expect(400);
    expect(body.error.details[0].field).toBe(query.split('=')[0]);
  });
});

describe('POST /v1/executions/{id}/cancel', () => {
  it('releases the hold at once, and returns the same response when repeated', async () => {
    const { key: own } = await organizationWithKey(gateway, { balance: '5' });
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } }, undefined, own);
    const first = await post(`/v1/executions/${created.id}/cancel`, undefined, own).expect(200);
    expect(first.body).toMatchObject({ id: created.id, status: 'CANCELLED', cost: null, error: null });
    const again = await post(`/v1/executions/${created.id}/cancel`, {}, own).expect(200);
    expect(again.body).toEqual(first.body);
    const balance = await get('/v1/balance', own);
    expect(balance.body).toEqual({
      available: '5.00',
      held: '0.00',
      total: '5.00',
      currency: 'USD',
      spend_limit: null,
    });
  });

  it('is 409 for an execution that ended in another way', async () => {
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } });
    await end(created.id, 'COMPLETED');
    const { body } = await post(`/v1/executions/${created.id}/cancel`).expect(409);
    expect(body.error.code).toBe('EXECUTION_ALREADY_TERMINAL');
  });
});

describe('DELETE /v1/executions/{id}', () => {
  const remove = (id: string, as = key) => gateway.client(as).delete(`/v1/executions/${id}`);

  it('erases the input and output of an execution, and keeps its amounts', async () => {
    const { key: own } = await organizationWithKey(gateway, { balance: '5' });
    const sent = { model: 'writer', input: { prompt: 'a' }, metadata: { n: 1 } };
    const { body: created } = await create(sent, 'erased-1', own).expect(202);
    await end(created.id, 'COMPLETED');
    const { body: before } = await get(`/v1/executions/${created.id}`, own);
    const { body } = await remove(created.id, own).expect(200);
    expect(body).toEqual({ id: created.id, deleted: true });
    expect((await remove(created.id, own).expect(200)).body).toEqual(body);

    for (const part of ['input', 'result']) {
      const gone = await get(`/v1/executions/${created.id}/${part}`, own).expect(410);
      expect(gone.body.error).toMatchObject({ code: 'EXECUTION_ERASED', retryable: false });
    }
    const { result: _, logs, urls, ...rest } = before;
    expect(logs).toBe('a line');
    const after = { ...rest, metadata: null, erased_at: expect.stringMatching(/Z$/) };
    expect((await get(`/v1/executions/${created.id}`, own)).body).toEqual({ ...after, logs: null, urls });
    expect((await get('/v1/executions', own)).body.data).toEqual([after]);
    const replayed = await create(sent, 'erased-1', own).expect(202);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.body.id).toBe(created.id);
  });

  it('is 409 for an open execution, 404 for another organization, and 200 for a failed execution', async () => {
    const { body: created } = await create({ model: 'writer', input: { prompt: 'a' } }).expect(202);
    const early = await remove(created.id).expect(409);
    expect(early.body.error).toMatchObject({ code: 'EXECUTION_NOT_TERMINAL', retryable: false });
    await end(created.id, 'FAILED');
    const { key: outsider } = await organizationWithKey(gateway);
    await remove(created.id, outsider).expect(404);
    await remove('exec_nope').expect(404);
    await remove(created.id).expect(200);
    await get(`/v1/executions/${created.id}/result`).expect(410);
    const { body: record } = await get(`/v1/executions/${created.id}`);
    expect(record.error).toMatchObject({ code: 'MODEL_OVERLOADED', message: '', retryable: true });
  });
});

describe('models', () => {
  it('have schema and price but no provider, and only active ones are listed', async () => {
    const { body, text } = await get('/v1/models').expect(200);
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(['painter', 'writer']);
    expect(text).not.toContain('secret_provider');
    const one = await get('/v1/models/painter').expect(200);
    expect(one.body).toMatchObject({
      slug: 'painter',
      price: {
        currency: 'USD',
        entries: [{ unit: 'image', rows: [{ when: {}, price: '0.05' }] }],
        per_image: '0.05',
      },
      timeout_seconds: 300,
      input_schema: { type: 'object', required: ['prompt'] },
      output_schema: { type: 'object', required: ['images'] },
    });
    await get('/v1/models/retired').expect(404);
    await get('/v1/models/unknown').expect(404);
  });
});
