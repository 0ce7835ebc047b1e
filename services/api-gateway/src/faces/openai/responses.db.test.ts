import { startExecutions } from '@holdfast/db/executions/start';
import { takeStream, writeStreamEvents } from '@holdfast/db/streams';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests({ COMPATIBLE_APIS: 'openai' });
const { key } = await organizationWithKey(gateway, { balance: '100' });
const client = gateway.client(key);
const path = '/v1/openai/responses';
const { db } = gateway.context;

let input: string;
let said = 0;
beforeEach(() => {
  said += 1;
  input = `question ${said}`;
});

const executionOf = (id: string) => id.replace('resp_', 'exec_');
const complete = (id: string, data: object = {}) =>
  db.prisma.execution.update({
    where: { id },
    data: {
      status: 'COMPLETED',
      completedAt: new Date(),
      cost: '0.01',
      output: { text: 'hello' },
      inputTokens: 2,
      outputTokens: 3,
      ...data,
    },
  });
const background = async () =>
  (await client.post(path).send({ model: 'writer', input, background: true }).expect(200)).body;

type Event = { type: string; sequence_number: number; delta?: string; response?: { status: string } };
const eventsOf = (text: string): Event[] =>
  text.split('\n\n').flatMap((event) => {
    const data = event.split('\n').find((line) => line.startsWith('data: '));
    return data ? [JSON.parse(data.slice(6)) as Event] : [];
  });

describe('a response', () => {
  it('in the background is queued at once, and read until it has completed', async () => {
    const queued = await background();
    expect(queued).toMatchObject({
      object: 'response',
      status: 'queued',
      background: true,
      output: [],
      usage: null,
    });
    await complete(executionOf(queued.id));
    const { body } = await client.get(`${path}/${queued.id}?include[]=a&include[]=b`).expect(200);
    expect(body).toMatchObject({
      id: queued.id,
      status: 'completed',
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'hello', annotations: [] }],
        },
      ],
      usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5 },
    });
  });

  it('that waits has the output of its execution', async () => {
    const sent = client
      .post(path)
      .send({ model: 'writer', input: [{ role: 'user', content: [{ type: 'input_text', text: input }] }] });
    const waiting = sent.then((response) => response);
    await until('the request waits', () => gateway.context.watcher.size() === 1);
    const { id } = await db.prisma.execution.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await complete(id);
    const { headers, body } = await waiting;
    expect([headers['holdfast-execution'], body.output[0].content[0].text]).toEqual([id, 'hello']);
    const { body: items } = await client.get(`${path}/${body.id}/input_items`).expect(200);
    expect(items.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: input }] }]);
  });

  it('lists its input in pages, in the order that is asked for', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: input },
          { type: 'image_url', image_url: { url: 'u' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'assistant', content: 'It rains.' },
    ];
    const { id } = await background();
    await complete(executionOf(id), { input: { messages } });
    const list = async (query: object) =>
      (await client.get(`${path}/${id}/input_items`).query(query).expect(200)).body;
    const first = await list({ limit: 3, order: 'asc' });
    expect(first).toMatchObject({
      has_more: true,
      data: [
        { role: 'user', content: [{ type: 'input_text' }, { type: 'input_image', image_url: 'u' }] },
        { type: 'function_call', call_id: 'call_1', name: 'weather' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      ],
    });
    const rest = await list({ limit: 3, order: 'asc', after: first.last_id });
    expect(rest).toMatchObject({ has_more: false, data: [{ content: [{ type: 'output_text' }] }] });
    expect((await list({})).data).toEqual([...first.data, ...rest.data].toReversed());
    await client.get(`${path}/${id}/input_items`).query({ after: 'msg_none' }).expect(400);
  });

  it('cut by a limit is incomplete, and a failed one says why', async () => {
    const { id } = await background();
    await complete(executionOf(id), { finishReason: 'length' });
    expect((await client.get(`${path}/${id}`)).body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    input += ' again';
    const { id: other } = await background();
    await complete(executionOf(other), {
      status: 'FAILED',
      cost: null,
      errorCode: 'GENERATION_FAILED',
      errorMessage: 'no',
    });
    expect((await client.get(`${path}/${other}`)).body).toMatchObject({
      status: 'failed',
      error: { message: 'no' },
      output: [],
    });
  });

  it('is cancelled, and stays as it is once it has ended', async () => {
    const { id } = await background();
    expect((await client.post(`${path}/${id}/cancel`).expect(200)).body.status).toBe('cancelled');
    expect((await client.post(`${path}/${id}/cancel`).expect(200)).body.status).toBe('cancelled');
  });

  it('is gone after its deletion', async () => {
    const { id } = await background();
    await complete(executionOf(id));
    expect((await client.delete(`${path}/${id}`).expect(200)).body).toMatchObject({ id, deleted: true });
    for (const request of [
      client.get(`${path}/${id}`),
      client.get(`${path}/${id}/input_items`),
      client.delete(`${path}/${id}`),
    ])
      expect((await request.expect(404)).body.error.type).toBe('invalid_request_error');
  });

  it('of another organization, or none, is not found', async () => {
    const { id } = await background();
    const other = await organizationWithKey(gateway);
    for (const [as, name] of [
      [other.key, id],
      [key, 'resp_nothing'],
      [key, 'anything'],
    ] as const)
      await gateway.client(as).get(`${path}/${name}`).expect(404);
  });

  it('that goes on from another one needs a model that takes messages', async () => {
    const { id } = await background();
    await complete(executionOf(id));
    const { body } = await client
      .post(path)
      .send({ model: 'writer', input, previous_response_id: id })
      .expect(400);
    expect(body.error.param).toBe('previous_response_id');
  });
});

describe('the stream of a response', () => {
  it('has dense sequence numbers, and is resumed after any of them', async () => {
    const { id } = await background();
    const executionId = executionOf(id);
    await db.pool.query(`UPDATE executions SET on_cancel = 'release' WHERE id = $1`, [executionId]);
    await db.pool.query('INSERT INTO streams (execution_id) VALUES ($1)', [executionId]);
    await startExecutions(db, [{ id: executionId, connection: 'a', target: 'm' }], 30);
    const writer = { executionId, attempt: 1, claims: 0 };
    await takeStream(db, writer, 'text');
    const events = ['hel', 'lo'].map((delta) => ({
      type: 'output' as const,
      data: JSON.stringify({ delta }),
    }));
    await writeStreamEvents(db, [
      { ...writer, eventsBefore: 0, events, cost: '0', inputTokens: 0, outputTokens: 2 },
    ]);
    await complete(executionId);
    const whole = eventsOf((await client.get(`${path}/${id}?stream=true`).expect(200)).text);
    expect(whole.map(({ sequence_number }) => sequence_number)).toEqual(whole.map((_event, index) => index));
    expect(whole.flatMap(({ delta }) => delta ?? [])).toEqual(['hel', 'lo']);
    expect(whole.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    for (let after = 0; after < whole.length; after++) {
      const rest = eventsOf((await client.get(`${path}/${id}?stream=true&starting_after=${after}`)).text);
      expect(rest).toEqual(whole.slice(after + 1));
    }
  });

  it('fails when the output begins again, rather than show its beginning twice', async () => {
    const { id } = await background();
    const executionId = executionOf(id);
    await db.pool.query(`UPDATE executions SET on_cancel = 'release' WHERE id = $1`, [executionId]);
    await db.pool.query('INSERT INTO streams (execution_id) VALUES ($1)', [executionId]);
    await startExecutions(db, [{ id: executionId, connection: 'a', target: 'm' }], 30);
    const writer = { executionId, attempt: 1, claims: 0 };
    await takeStream(db, writer, 'text');
    const events = [
      { type: 'output' as const, data: '{"delta":"hel"}' },
      { type: 'reset' as const, data: '{"attempt":2}' },
      { type: 'output' as const, data: '{"delta":"hello"}' },
    ];
    await writeStreamEvents(db, [
      { ...writer, eventsBefore: 0, events, cost: '0', inputTokens: 0, outputTokens: 2 },
    ]);
    await complete(executionId);
    const { text } = await client.get(`${path}/${id}?stream=true`).expect(200);
    expect(eventsOf(text).flatMap(({ delta }) => delta ?? [])).toEqual(['hel']);
    expect(text).toContain('The output begins again.');
  });
});
