import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted, until } from '../conformance/setup.ts';
import { type RecordingSink, recordingSink } from '../conformance/streaming.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { Provider } from '../interface.ts';
import { createOpenai } from './openai.ts';
import { fixture, streamFixture } from './testing/fixture.ts';

let fakeServer: FakeServer;
let provider: Provider;
let sink: RecordingSink;

beforeEach(async () => {
  fakeServer = await startFakeServer();
  provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: 'sk-1234567890', settings: {} });
  sink = recordingSink();
});

afterEach(async () => {
  provider.close();
  await fakeServer.close();
});

const events = streamFixture('responseStream')
  .split(/(?<=\n\n)/)
  .filter((event) => event !== '');
const id = 'resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654';
const text = 'Hi there! How can I assist you today?';
const missing: Reply = { status: 404, json: { error: { message: 'no such response' } } };

/** Sends some events, and breaks the connection off once `shown` pieces were shown. */
const streamOf = (part: readonly string[], shown: number | null = null): Reply => ({
  status: 200,
  stream: async function* () {
    yield part.join('');
    if (shown === null) return;
    await until(() => sink.pieces.length === shown);
    throw new Error('the server breaks the response off');
  },
});

const submission = () => submissionOf({ submission: { sink, options: { endpoint: 'responses' } } });
const submit = async (replies: Reply[], signal = neverAborted) => {
  fakeServer.reply(...replies);
  return await provider.submit(submission(), signal);
};
const requests = () => fakeServer.received.map(({ method, path }) => `${method} ${path}`);
const cancelled = `POST /v1/responses/${id}/cancel`;

describe('a streamed response', () => {
  it('runs in the background, and is shown', async () => {
    expect(await submit([streamOf(events)])).toMatchObject({
      state: 'ended',
      outcome: {
        ok: true,
        output: { text },
        usage: { inputTokens: 37, outputTokens: 11 },
        finishReason: 'stop',
      },
    });
    expect(sink.pieces.join('')).toBe(text);
    expect(sink.pieces).toHaveLength(10);
    expect(fakeServer.received[0]?.json).toMatchObject({ stream: true, background: true, store: true });
    expect(requests()).toEqual(['POST /v1/responses']);
  });

  it('is resumed after each break, and shows nothing twice', async () => {
    const parts = [events.slice(0, 9), events.slice(7, 12), events.slice(12)];
    const [first = [], second = [], third = []] = parts;
    const progress = await submit([streamOf(first, 2), streamOf(second, 5), streamOf(third)]);
    expect(progress).toMatchObject({ state: 'ended', outcome: { output: { text } } });
    expect(sink.pieces.join('')).toBe(text);
    expect(requests()).toEqual([
      'POST /v1/responses',
      `GET /v1/responses/${id}?stream=true&starting_after=8`,
      `GET /v1/responses/${id}?stream=true&starting_after=11`,
    ]);
  });

  it.each([
    ['cannot be resumed', missing],
    ['brings nothing more', streamOf([])],
    ['comes whole', { status: 200, json: fixture('responseQueued') }],
  ] as [string, Reply][])('is polled when the rest of its stream %s', async (_name, reply) => {
    expect(await submit([streamOf(events.slice(0, 9), 2), reply])).toMatchObject({
      state: 'running',
      by: 'poll',
      handle: { externalId: id },
    });
    expect(sink.pieces).toEqual(['Hi', ' there']);
    fakeServer.reply({ status: 200, json: fixture('responseCompleted') });
    expect(await provider.poll(submission(), { externalId: id }, neverAborted)).toMatchObject({
      outcome: { ok: true },
    });
  });

  it('is unknown when it breaks off before its id is known', async () => {
    expect(await submit([streamOf([': ping\n\n'])])).toMatchObject({ state: 'unknown' });
    expect(requests()).toHaveLength(1);
  });

  it('is cancelled when it is aborted, because its id is nowhere recorded', async () => {
    const abort = new AbortController();
    const stream = async function* (hungUp: AbortSignal) {
      yield events.slice(0, 9).join('');
      await until(() => sink.pieces.length === 2);
      abort.abort();
      await once(hungUp, 'abort');
    };
    expect(await submit([{ status: 200, stream }, missing], abort.signal)).toMatchObject({
      state: 'unknown',
    });
    expect(requests()).toEqual(['POST /v1/responses', cancelled]);
  });

  it('is cancelled after an error of its stream, which may not be the end of the run', async () => {
    const error =
      'event: error\ndata: {"type":"error","code":"server_error","message":"no","param":null}\n\n';
    expect(await submit([streamOf([...events.slice(0, 9), error]), missing])).toMatchObject({
      state: 'ended',
      outcome: { code: 'GENERATION_FAILED' },
    });
    expect(requests()).toEqual(['POST /v1/responses', cancelled]);
  });

  it.each([
    ['responseIncomplete', { ok: true, finishReason: 'length' }],
    ['responseRefused', { ok: false, code: 'CONTENT_MODERATION_REJECTED' }],
    ['responseFailed', { ok: false }],
  ])('ends as without a stream: %s', async (name, outcome) => {
    const response: Record<string, unknown> = { ...fixture(name), id };
    const type = `response.${String(response['status'])}`;
    const last = `event: ${type}\ndata: ${JSON.stringify({ type, response })}\n\n`;
    const progress = await submit([streamOf([...events.slice(0, 7), last])]);
    expect(progress).toMatchObject({ state: 'ended', outcome });
    fakeServer.reply({ status: 200, json: response });
    const { sink: _sink, ...plain } = submission();
    expect(progress).toEqual(await provider.submit(plain, neverAborted));
  });

  it('is shown at its end by a server that does not stream', async () => {
    await submit([{ status: 200, json: fixture('responseCompleted') }]);
    expect(sink.pieces).toEqual(['One summer night, the fox slept.']);
  });
});
