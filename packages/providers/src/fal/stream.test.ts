import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted } from '../conformance/setup.ts';
import { recordingSink } from '../conformance/streaming.ts';
import { callbackUrl, submissionOf } from '../conformance/subject.ts';
import type { OutputSink, Provider, Submission } from '../interface.ts';
import { createFal } from './fal.ts';
import { streamRequest } from './request.ts';

let server: FakeServer;
let provider: Provider;

beforeEach(async () => {
  server = await startFakeServer();
  provider = createFal({ baseUrl: server.baseUrl, apiKey: 'key', settings: {} });
});

afterEach(async () => {
  provider.close();
  await server.close();
});

const text = { output: { kind: 'text' as const }, errors: [] };
const images = { output: { kind: 'images' as const }, errors: [] };
const picture = { images: [{ url: 'https://v3.fal.media/files/a.png' }] };

const given = (sink: OutputSink, part: Partial<Submission> = {}) =>
  submissionOf({ submission: { providerModel: 'fal-ai/any-llm' } }, { mapping: text, sink, ...part });

function reply(...events: (object | string)[]): void {
  const body = events.map((event) =>
    typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`,
  );
  server.reply({
    status: 200,
    async *stream() {
      yield* body;
    },
  });
}

describe('a stream of fal', () => {
  it('is asked for outside the queue, without a callback', async () => {
    reply({ output: 'Once', partial: true }, { output: 'Once upon', partial: false });
    const sink = recordingSink();
    const progress = await provider.submit(given(sink, { mode: 'callback', callbackUrl }), neverAborted);
    expect(progress).toMatchObject({ state: 'ended', outcome: { output: { text: 'Once upon' } } });
    expect(sink.pieces).toEqual(['Once', ' upon']);
    expect(server.received).toMatchObject([
      { method: 'POST', path: '/fal-ai/any-llm/stream', headers: { authorization: 'Key key' } },
    ]);
  });

  it('shows only what continues the text, and the rest at the end', async () => {
    reply({ output: 'Once' }, { output: 'Twice' }, { message: 'hm' }, { output: 'Once upon' });
    const sink = recordingSink();
    await provider.submit(given(sink), neverAborted);
    expect(sink.pieces).toEqual(['Once', ' upon']);
  });

  it('shows values and progress, without those that have files', async () => {
    reply({ progress: 0.25, message: 'drawing' }, { progress: 0.5, ...picture }, { ...picture, seed: 4 });
    const sink = recordingSink('json');
    const shares: number[] = [];
    sink.progress = (share) => void shares.push(share);
    const progress = await provider.submit(given(sink, { mapping: images }), neverAborted);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true, output: picture } });
    expect([sink.pieces, shares]).toEqual([[{ progress: 0.25, message: 'drawing' }], [0.25, 0.5]]);
  });

  it.each([
    [{ detail: [{ loc: ['body', 'prompt'], msg: 'no', type: 'content_policy_violation' }] }],
    [{ error: { message: 'no' }, error_type: 'content_policy_violation' }],
    ['event: error\ndata: {"error": "no", "error_type": "content_policy_violation"}\n\n'],
  ])('fails by %j', async (event) => {
    reply({ output: 'Once', partial: true }, event);
    const progress = await provider.submit(given(recordingSink()), neverAborted);
    expect(progress).toMatchObject({ state: 'ended', outcome: { code: 'CONTENT_MODERATION_REJECTED' } });
  });

  it('is replaced by the whole output of a model that responds at once', async () => {
    server.reply({ status: 200, json: { output: 'Once upon' } });
    const sink = recordingSink();
    const progress = await provider.submit(given(sink), neverAborted);
    expect(progress).toMatchObject({ state: 'ended', outcome: { output: { text: 'Once upon' } } });
    expect(sink.pieces).toEqual(['Once upon']);
  });

  it('cannot be found again after its response was lost', async () => {
    const submission = given(recordingSink(), { mode: 'callback', callbackUrl });
    expect(await provider.recover(submission, neverAborted)).toMatchObject({ state: 'unknown' });
  });
});

describe('the address of a stream', () => {
  it.each([
    ['https://queue.fal.run', 'fal-ai/any-llm', {}, 'https://fal.run/fal-ai/any-llm/stream'],
    ['https://queue.fal.run', 'acme/app', { path: 'chat/stream' }, 'https://fal.run/acme/app/chat/stream'],
    ['https://queue.fal.run.example', 'acme/app', {}, 'https://queue.fal.run.example/acme/app/stream'],
    ['http://127.0.0.1:5000/fal', 'acme/app', {}, 'http://127.0.0.1:5000/fal/acme/app/stream'],
  ])('at %s of %s with %j is %s', (baseUrl, providerModel, options, url) => {
    const submission = given(recordingSink(), { providerModel, options });
    expect(streamRequest(submission, { baseUrl }).url).toBe(url);
  });
});
