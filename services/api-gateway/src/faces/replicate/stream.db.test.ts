import { startExecutions } from '@holdfast/db/executions/start';
import { takeStream, writeStreamEvents } from '@holdfast/db/streams';
import { describe, expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const { post, gateway, key } = await faceGateway('replicate', [
  {
    slug: 'poet',
    aliases: ['acme/poet'],
    input_schema: { type: 'object', properties: { prompt: { type: 'string' } } },
    output: { kind: 'text' },
    stream: 'text',
    on_cancel: 'charge',
  },
]);
const { db } = gateway.context;
const client = gateway.client(key);

let asked = 0;

/** A prediction whose model has written these events. */
async function written(events: { type: 'output' | 'reset'; data: string }[], end: object) {
  const input = { prompt: `verse ${asked++}` };
  const { id, urls } = (await post('/models/acme/poet/predictions').send({ input }).expect(201)).body;
  await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  const writer = { executionId: id, attempt: 1, claims: 0 };
  await takeStream(db, writer, 'text');
  const usage = { cost: '0', inputTokens: 0, outputTokens: 2 };
  await writeStreamEvents(db, [{ ...writer, eventsBefore: 0, events, ...usage }]);
  await db.prisma.execution.update({ where: { id }, data: { completedAt: new Date(), ...end } });
  return { id, path: urls.stream.replace('http://gateway.test', '') as string };
}

const outputs = (...deltas: string[]) =>
  deltas.map((delta) => ({ type: 'output' as const, data: JSON.stringify({ delta }) }));
const completed = (text: string) => ({ status: 'COMPLETED', cost: '0.01', output: { text } });
/** As the client for JavaScript, which sends no key. */
const streamed = async (path: string, headers: Record<string, string> = {}) =>
  (await gateway.client('').get(path).unset('authorization').set(headers).expect(200)).text
    .split('\n\n')
    .filter((event) => event.startsWith('id: ') || event.startsWith('event: '));

describe('the stream of a prediction', () => {
  it('has its pieces, its end and ids, from any of which it continues', async () => {
    const { id, path } = await written(outputs('one\n', '', 'two'), completed('one\ntwo'));
    const whole = await streamed(path);
    expect(whole).toEqual([
      'id: 1\nevent: output\ndata: one\ndata: ',
      'id: 3\nevent: output\ndata: two',
      'id: 4\nevent: done\ndata: {}',
    ]);
    expect(await streamed(path, { 'last-event-id': '1' })).toEqual(whole.slice(1));
    expect(await streamed(path, { 'last-event-id': '4' })).toEqual(whole.slice(2));
    await client.get(`/v1/replicate/v1/predictions/${id}/stream`).expect(200);
    expect((await client.get(`/v1/replicate/predictions/${id}`)).body.output).toEqual(['one\n', '', 'two']);
  });

  it('is whole without its events, too', async () => {
    const { id, path } = await written(outputs('one'), completed('one'));
    await db.pool.query('DELETE FROM stream_events WHERE execution_id = $1', [id]);
    await db.pool.query('UPDATE streams SET cleared_at = now() WHERE execution_id = $1', [id]);
    expect(await streamed(path)).toEqual(['id: 1\nevent: output\ndata: one', 'id: 2\nevent: done\ndata: {}']);
    expect((await client.get(`/v1/replicate/predictions/${id}`)).body.output).toEqual(['one']);
  });

  it.each([
    ['FAILED', { errorCode: 'GENERATION_FAILED', errorMessage: 'No.' }, 'No.', 'error'],
    ['EXPIRED', { errorCode: 'GENERATION_TIMEOUT', errorMessage: 'late' }, 'Deadline exceeded', 'error'],
    ['CANCELLED', {}, null, 'canceled'],
  ])('of an execution that is %s says so', async (status, more, detail, reason) => {
    const { path } = await written(outputs('one'), { status, ...more });
    expect((await streamed(path)).slice(1)).toEqual([
      ...(detail === null ? [] : [`id: 2\nevent: error\ndata: {"detail":"${detail}"}`]),
      `id: 2\nevent: done\ndata: {"reason":"${reason}"}`,
    ]);
  });

  it('fails when the output begins again, rather than show its beginning twice', async () => {
    const events = [...outputs('on'), { type: 'reset' as const, data: '{"attempt":2}' }, ...outputs('one')];
    const { path } = await written(events, completed('one'));
    expect(await streamed(path)).toEqual([
      'id: 1\nevent: output\ndata: on',
      'event: error\ndata: {"detail":"The output begins again."}',
    ]);
  });

  it('is not for those who have neither its token nor a key', async () => {
    const { path } = await written(outputs('one'), completed('one'));
    const { path: other } = await written(outputs('two'), completed('two'));
    const token = new URL(other, 'http://a').search;
    const stream = path.replace(/\?.*/, '');
    for (const wrong of [stream, `${stream}${token}`])
      expect((await gateway.client('').get(wrong).unset('authorization')).status).toBeGreaterThanOrEqual(401);
  });
});
