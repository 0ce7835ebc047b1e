import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { findFaceRequest, markConnection, markDelivered } from '@holdfast/db/faceRequests';
import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { openTestGateway } from '../testing/testGateway.ts';
import { faceGateway } from './testing/faceGateway.ts';

const { gateway, key, run } = await faceGateway('openai', [
  { slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } },
]);
const another = closing(await openTestGateway(gateway.servers, { COMPATIBLE_APIS: 'openai' }));
const server = closing(createServer(gateway.app));
const otherServer = closing(createServer(another.app));
for (const one of [server, otherServer]) await once(one.listen(0, '127.0.0.1'), 'listening');
const { db } = gateway.context;
const replicate = 'replicate-javascript/1.4.0';
const js = '@fal-ai/client/1.10.1';
const python = 'fal-client/1.0.3 (python)';
const keepsOpen = { keepAlive: true };

let prompts = 0;
beforeEach(() => {
  prompts++;
});

const post = (agent: Agent, userAgent: string, to = server) =>
  request(to)
    .post('/v1/openai/chat/completions')
    .auth(key, { type: 'bearer' })
    .agent(agent)
    .set('User-Agent', userAgent)
    .send({ model: 'writer', messages: [{ role: 'user', content: `prompt ${prompts}` }] });

const answered = async (sent: request.Test) => await run(sent, async () => ({ text: 'hello' }));
const rowOf = (executionId: string) => db.prisma.faceRequest.findFirstOrThrow({ where: { executionId } });
const isJoined = ({ headers }: request.Response) => headers['holdfast-joined'] === 'true';

describe('a twin of a request whose response was written whole', () => {
  it('by replicate-javascript joins it if its connection closed at once', async () => {
    const agent = new Agent(keepsOpen);
    const { execution } = await answered(post(agent, replicate));
    agent.destroy();
    const twin = await post(new Agent(), replicate);
    expect([twin.headers['holdfast-execution'], isJoined(twin)]).toEqual([execution.id, true]);
  });

  it('at another gateway waits until the connection has closed, and joins it', async () => {
    const agent = new Agent(keepsOpen);
    await answered(post(agent, replicate));
    const twin = post(new Agent(), replicate, otherServer).then(isJoined);
    agent.destroy();
    expect(await twin).toBe(true);
  });

  it.each([
    ['replicate-javascript whose connection stays open', replicate, keepsOpen, false],
    ['replicate-javascript whose connections always close', replicate, {}, true],
    ['a client that says when it repeats', 'OpenAI/JS 7.0.0', keepsOpen, true],
    ['curl', 'curl/8.5.0', {}, true],
  ])('by %s is an execution of its own', async (_client, userAgent, options, closes) => {
    const agent = new Agent(options);
    await answered(post(agent, userAgent));
    if (closes) agent.destroy();
    expect(isJoined((await answered(post(new Agent(), userAgent))).response)).toBe(false);
    agent.destroy();
  });

  it('by curl does not join what another client has lost', async () => {
    const agent = new Agent(keepsOpen);
    await answered(post(agent, replicate));
    agent.destroy();
    expect(isJoined((await answered(post(new Agent(), 'curl/8.5.0'))).response)).toBe(false);
  });

  it('is an execution of its own if the client has sent another request on the connection', async () => {
    const agent = new Agent(keepsOpen);
    await answered(post(agent, replicate));
    await request(server).get('/v1/openai/models').auth(key, { type: 'bearer' }).agent(agent);
    agent.destroy();
    const second = new Agent(keepsOpen);
    expect(isJoined((await answered(post(second, replicate))).response)).toBe(false);
    expect(isJoined((await answered(post(second, replicate))).response)).toBe(false);
    second.destroy();
  });

  it('adds one listener to its connection, however many responses came before it', async () => {
    const agent = new Agent(keepsOpen);
    const connected = once(server, 'connection');
    await answered(post(agent, replicate));
    const [socket] = await connected;
    const before = socket.listenerCount('close');
    prompts++;
    await answered(post(agent, replicate));
    expect(socket.listenerCount('close')).toBeLessThanOrEqual(before);
    agent.destroy();
  });

  it('is seen at the times of the events, however late they are noted and read', async () => {
    const { execution } = await answered(post(new Agent(), 'curl/8.5.0'));
    await until('it is noted', async () => (await rowOf(execution.id)).deliveredAt !== null);
    const row = await rowOf(execution.id);
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second));
    await markDelivered(db, row, execution.id, { deliveredAt: at(10), closesWithinMs: 60_000 });
    expect(await findFaceRequest(db, row, at(11))).toMatchObject({ deliveredS: 1, mayClose: true });
    await markConnection(db, row, execution.id, at(12));
    const seen = { deliveredS: 3, closedS: 1, mayClose: false };
    expect(await findFaceRequest(db, row, at(13))).toMatchObject(seen);
    await markConnection(db, row, execution.id, null);
    expect(await findFaceRequest(db, row, at(13))).toMatchObject({ closedS: null, mayClose: false });
  });

  it.each([
    ['joins it if the gateway died before it noted whether the connection closed', replicate, 0.3, 1, true],
    ['is an execution of its own two seconds after the connection closed', replicate, -2, 1, false],
    ["by fal's client for JavaScript joins it after its pause", js, -3, 3, true],
    ["by fal's client for JavaScript is an execution of its own after that", js, -5, 1, false],
    ["by fal's client for Python joins it after its pause", python, -6, 9, true],
    ["by fal's client for Python is an execution of its own before that", python, -1, 9, false],
  ])('%s', async (_title, userAgent, closedAtS, tries, joins) => {
    const { execution } = await answered(post(new Agent(), userAgent));
    await until('it is noted', async () => (await rowOf(execution.id)).deliveredAt !== null);
    const sql = `UPDATE face_requests SET delivered_at = now() + least($2::float8, 0) * interval '1 s',
      closed_at = now() + $2::float8 * interval '1 s', tries = $3 WHERE execution_id = $1`;
    await db.pool.query(sql, [execution.id, closedAtS, tries]);
    const sent = post(new Agent(), userAgent);
    expect(isJoined(joins ? await sent : (await answered(sent)).response)).toBe(joins);
  });
});
