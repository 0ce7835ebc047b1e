import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { touchFaceRequest } from '@holdfast/db/faceRequests';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests({ COMPATIBLE_APIS: 'openai' });
const { key, organizationId } = await organizationWithKey(gateway, { balance: '100' });
const server = createServer(gateway.app);
const path = '/v1/openai/chat/completions';

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

const executions = () => gateway.context.db.prisma.execution;
const count = () => executions().count({ where: { organizationId } });
const latest = async () => (await executions().findFirstOrThrow({ orderBy: { id: 'desc' } })).id;
const end = (id: string, data: object) =>
  executions().update({ where: { id }, data: { completedAt: new Date(), ...data } });
const complete = (id: string, output: object = { text: 'hello' }) =>
  end(id, { status: 'COMPLETED', cost: '0.01', output, inputTokens: 2, outputTokens: 3 });

/** Each test says something else: equal requests of other tests do not join. */
let prompt: string;
let said = 0;
beforeEach(() => {
  said += 1;
  prompt = `question ${said}`;
});

const bodyOf = (more: object = {}) => ({
  model: 'writer',
  messages: [{ role: 'user', content: prompt }],
  ...more,
});

function post(more: object = {}, headers: Record<string, string> = {}) {
  return gateway.client(key).post(path).set(headers).send(bodyOf(more));
}

const created = (before: number) =>
  until('an execution is created', async () => (await count()) > before).then(latest);

/** A response that arrived, for the execution that this request made. */
async function answered(more: object = {}, headers: Record<string, string> = {}) {
  const before = await count();
  const sent = post(more, headers).then((response) => response);
  const id = await created(before);
  await complete(id);
  const response = await sent;
  await until('the delivery is noted', async () => {
    const row = await gateway.context.db.prisma.faceRequest.findFirst({ where: { executionId: id } });
    return row?.deliveredAt !== null;
  });
  return { id, response };
}

/** A request whose client goes away before the response; returns the execution that it made. */
async function abandoned(): Promise<string> {
  const before = await count();
  const { port } = server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers });
  sent.on('error', () => {});
  sent.end(JSON.stringify(bodyOf()));
  const id = await created(before);
  await until('the request waits', () => gateway.context.watcher.size() > 0);
  sent.destroy();
  await until('the client is gone', () => gateway.context.watcher.size() === 0);
  return id;
}

describe('a chat completion', () => {
  it('is the output of an execution', async () => {
    const { id, response } = await answered({ temperature: 0.5, user: 'someone' });
    expect(response.status).toBe(200);
    expect(response.headers['x-ratelimit-remaining-requests']).toBe(
      response.headers['x-ratelimit-remaining'],
    );
    expect(response.headers).toMatchObject({
      'holdfast-execution': id,
      'holdfast-hold': '0.012',
      'holdfast-cost': '0.01',
    });
    expect(response.body).toMatchObject({
      object: 'chat.completion',
      model: 'writer',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    });
    const { input } = await executions().findUniqueOrThrow({ where: { id } });
    expect(input).toEqual({ prompt });
  });

  it.each([
    ['chat/completions', () => ({ messages: bodyOf().messages })],
    ['completions', () => ({ prompt })],
    ['responses', () => ({ input: prompt })],
  ])('of %s gives its metadata to the execution, within its limits', async (route, asked) => {
    const send = (metadata: object) =>
      gateway
        .client(key)
        .post(`/v1/openai/${route}`)
        .send({ model: 'writer', ...asked(), metadata });
    const before = await count();
    const sent = send({ order: 'A-17' }).then((response) => response);
    const id = await created(before);
    await complete(id);
    expect((await sent).status).toBe(200);
    expect(await executions().findUniqueOrThrow({ where: { id } })).toMatchObject({
      metadata: { order: 'A-17' },
      input: { prompt },
    });
    const refused = await send({ order: 'A'.repeat(16_384) });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'metadata']);
  });

  it('comes in one chunk of a model that does not stream', async () => {
    const before = await count();
    const sent = post({ stream: true, stream_options: { include_usage: true } }).then((response) => response);
    await complete(await created(before));
    const { text, headers } = await sent;
    expect(headers['content-type']).toContain('text/event-stream');
    const data = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
    expect(data.at(-1)).toBe('[DONE]');
    const chunks = data.slice(0, -1).map((one) => JSON.parse(one));
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', refusal: null, content: 'hello' });
    expect(chunks[1].choices[0]).toMatchObject({ index: 0, delta: {}, finish_reason: 'stop' });
    expect(chunks[2]).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
  });

  it('that is streamed takes one of the streams of its organization, and gives it back', async () => {
    const { streams, config } = gateway.context;
    const { db } = gateway.context;
    const { id: apiKeyId } = await db.prisma.apiKey.findFirstOrThrow({ where: { organizationId } });
    const taken = Array.from({ length: config.EVENT_STREAMS_PER_KEY }, () =>
      streams.take(organizationId, apiKeyId),
    );
    const before = await count();
    const refused = await post({ stream: true });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    for (const release of taken) release();
    const sent = post({ stream: true }).then((response) => response);
    await complete(await created(before));
    expect((await sent).text).toContain('[DONE]');
    await until('the stream is given back', () => streams.open() === 0);
    expect(await count()).toBe(before + 1);
  });

  it.each([
    ['/v1/openai/chat/completions', {}],
    ['/v1/openai/responses', { input: 'hello' }],
  ])(
    'that is streamed by %s breaks off when the gateway stops, and a repetition joins it',
    async (at, more) => {
      const stopped = await openTestGateway(gateway.servers, { COMPATIBLE_APIS: 'openai' });
      const before = await count();
      const body = bodyOf({ stream: true, ...more, user: prompt });
      const sent = stopped.client(key).post(at).send(body);
      const ended = sent.then(
        () => 'whole',
        () => 'broken',
      );
      const id = await created(before);
      await until('it is streamed', () => stopped.context.streams.open() === 1);
      stopped.context.watcher.close();
      expect(await ended).toBe('broken');
      const again = gateway
        .client(key)
        .post(at)
        .send(body)
        .then((response) => response);
      await complete(id);
      expect((await again).headers).toMatchObject({ 'holdfast-joined': 'true', 'holdfast-execution': id });
      expect(await count()).toBe(before + 1);
      await stopped.close();
    },
  );

  it('is also had by the older API for prompts', async () => {
    const before = await count();
    const sent = gateway.client(key).post('/v1/openai/completions').send({ model: 'writer', prompt });
    const waiting = sent.then((response) => response);
    await complete(await created(before));
    expect((await waiting).body).toMatchObject({
      object: 'text_completion',
      choices: [{ index: 0, text: 'hello', finish_reason: 'stop' }],
    });
  });

  it('reports the failure of its execution, and that a retry would not help', async () => {
    const before = await count();
    const sent = post().then((response) => response);
    await end(await created(before), {
      status: 'FAILED',
      errorCode: 'MODEL_OVERLOADED',
      errorMessage: 'busy',
    });
    const { status, headers, body } = await sent;
    expect([status, headers['x-should-retry'], body.error]).toEqual([
      503,
      'false',
      { message: 'busy', type: 'server_error', param: null, code: 'model_overloaded' },
    ]);
  });

  it.each([
    ['an unknown model', { model: 'nothing' }, 404, 'model_not_found', 'model'],
    ['no message', { messages: [] }, 400, 'out_of_range', 'messages'],
    ['more choices than there may be', { n: 17 }, 400, 'out_of_range', 'n'],
    ['probabilities', { logprobs: true }, 400, 'unsupported_parameter', 'logprobs'],
    ['sound', { modalities: ['text', 'audio'] }, 400, 'unsupported_parameter', 'modalities'],
    ['tools of a model that takes none', { tools: [{}] }, 400, 'unsupported_parameter', 'tools'],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      400,
      'unsupported_content',
      'messages',
    ],
  ])('with %s is refused in the shape of OpenAI', async (_what, more, status, code, param) => {
    const before = await count();
    const response = await post(more);
    expect(response.status).toBe(status);
    expect(response.body.error).toMatchObject({
      type: 'invalid_request_error',
      code,
      param,
      message: expect.any(String),
    });
    expect(await count()).toBe(before);
  });

  it('is refused without balance, and not repeated', async () => {
    const poor = await organizationWithKey(gateway, { balance: '0.001' });
    const { status, headers, body } = await gateway.client(poor.key).post(path).send(bodyOf());
    expect([status, body.error.type, headers['x-should-retry']]).toEqual([
      402,
      'insufficient_quota',
      'false',
    ]);
  });

  it('creates nothing when its key has no room for the stream', async () => {
    const full = await openTestGateway(gateway.servers, {
      COMPATIBLE_APIS: 'openai',
      EVENT_STREAMS_PER_KEY: '1',
    });
    const before = await count();
    const { apiKeyId } = await full.context.db.prisma.apiKeyValue.findFirstOrThrow({
      where: { hash: hash('sha256', key) },
    });
    full.context.streams.take('another organization', apiKeyId);
    const refused = await full
      .client(key)
      .post(path)
      .send(bodyOf({ stream: true }));
    expect([refused.status, await count()]).toEqual([429, before]);
    await full.close();
  });

  it('is not there unless COMPATIBLE_APIS names the face', async () => {
    const plain = await openTestGateway(gateway.servers);
    const { status, body } = await plain.client(key).post(path).send(bodyOf());
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    await plain.close();
  });
});

describe('a repeated request', () => {
  it('joins the execution of one whose client went away, while it runs and after its end', async () => {
    const id = await abandoned();
    const sent = post().then((response) => response);
    await until('the repetition waits', () => gateway.context.watcher.size() === 1);
    await complete(id);
    const { headers } = await sent;
    expect([headers['holdfast-execution'], headers['holdfast-joined']]).toEqual([id, 'true']);
  });

  it('joins an execution that ended unseen', async () => {
    const id = await abandoned();
    await complete(id);
    expect((await post()).headers['holdfast-execution']).toBe(id);
  });

  it('joins again after a retry, for a lost response, whose own response is lost', async () => {
    const { id } = await answered();
    const { db } = gateway.context;
    const row = await db.prisma.faceRequest.findFirstOrThrow({ where: { executionId: id } });
    // As the retry does, whose response never arrives.
    await touchFaceRequest(db, row, id);
    expect((await post()).headers['holdfast-execution']).toBe(id);
  });

  it('at the same time is one execution', async () => {
    const before = await count();
    const sent = Promise.all([post(), post(), post()]);
    await until('all wait', () => gateway.context.watcher.size() === 3);
    await complete(await created(before));
    const ids = (await sent).map(({ headers }) => headers['holdfast-execution']);
    expect([new Set(ids).size, await count()]).toEqual([1, before + 1]);
  });

  it('after a response that arrived is an execution of its own, unless the client says that it retries', async () => {
    const { id } = await answered();
    const second = await answered();
    expect(second.id).not.toBe(id);
    const retried = await post({}, { 'x-stainless-retry-count': '1' });
    expect(retried.headers['holdfast-execution']).toBe(second.id);
  });

  it('joins nothing two minutes after the end', async () => {
    const id = await abandoned();
    await complete(id);
    const { db } = gateway.context;
    await db.pool.query(
      `UPDATE face_requests SET touched_at = touched_at - interval '3 min' WHERE execution_id = $1`,
      [id],
    );
    await db.pool.query(
      `UPDATE executions SET completed_at = completed_at - interval '3 min' WHERE id = $1`,
      [id],
    );
    expect((await answered()).id).not.toBe(id);
  });

  it('is an execution of its own when the first is no longer remembered', async () => {
    const { id } = await answered();
    const { pool } = gateway.context.db;
    await pool.query(`DELETE FROM face_requests WHERE execution_id = $1`, [id]);
    await pool.query(`UPDATE executions SET completed_at = completed_at - interval '3 min' WHERE id = $1`, [
      id,
    ]);
    expect((await answered()).id).not.toBe(id);
  });

  it('of another key, or another body, joins nothing', async () => {
    const id = await abandoned();
    const other = await gateway.newKey(organizationId);
    const before = await count();
    const sent = gateway
      .client(other)
      .post(path)
      .send(bodyOf())
      .then((response) => response);
    await complete(await created(before));
    expect((await sent).headers['holdfast-execution']).not.toBe(id);
    expect((await answered({ temperature: 1 })).id).not.toBe(id);
    await complete(id);
  });

  it('with an Idempotency-Key is what that key says', async () => {
    const { id } = await answered({}, { 'idempotency-key': `mine ${said}` });
    const repeated = await post({}, { 'idempotency-key': `mine ${said}` });
    expect(repeated.headers['holdfast-execution']).toBe(id);
  });

  it('goes on waiting for a run that takes longer than the gateway waits', async () => {
    const brief = await openTestGateway(gateway.servers, {
      COMPATIBLE_APIS: 'openai',
      COMPATIBLE_WAIT_S: '1',
    });
    const before = await count();
    const first = await brief.client(key).post(path).send(bodyOf());
    expect([first.status, first.headers['x-should-retry']]).toEqual([504, 'true']);
    const id = await created(before);
    await complete(id);
    const second = await brief.client(key).post(path).send(bodyOf());
    expect([second.status, second.headers['holdfast-execution']]).toEqual([200, id]);
    await brief.close();
  });
});
