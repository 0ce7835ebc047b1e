import { text } from 'node:stream/consumers';
import { limits } from '@holdfast/domain/limits';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type FakeServer, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted, until } from '../conformance/setup.ts';
import { type RecordingSink, recordingSink } from '../conformance/streaming.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { StreamedBody } from '../conformance/wireServer.ts';
import type { Provider } from '../interface.ts';
import { createOpenai } from './openai.ts';

let fakeServer: FakeServer;
let provider: Provider;
let sink: RecordingSink;

beforeEach(async () => {
  fakeServer = await startFakeServer();
  provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
  sink = recordingSink('audio');
});

afterEach(async () => {
  provider.close();
  await fakeServer.close();
  jest.restoreAllMocks();
});

const submission = (part = {}) =>
  submissionOf({
    submission: {
      sink,
      options: { endpoint: 'speech' },
      mapping: { output: { kind: 'audios' }, errors: [] },
      ...part,
    },
  });

async function submit(stream: StreamedBody) {
  fakeServer.reply({ status: 200, headers: { 'content-type': 'audio/mpeg' }, stream });
  return await provider.submit(submission(), neverAborted);
}

describe('streamed speech', () => {
  it('is shown as it comes, and is the file of the output', async () => {
    const progress = await submit(async function* () {
      yield 'ID3 one ';
      await until(() => sink.pieces.length === 1);
      yield 'two';
    });
    expect(Buffer.concat(sink.pieces as Buffer[]).toString()).toBe('ID3 one two');
    if (progress.state !== 'ended' || !progress.outcome.ok) throw new Error(JSON.stringify(progress));
    const [body] = progress.bodies ?? [];
    expect(progress.outcome.output).toEqual({ audios: [{ url: body?.reference }] });
    expect(body).toMatchObject({ contentType: 'audio/mpeg', sizeBytes: 11 });
    for (let reading = 0; reading < 2; reading += 1) {
      expect(await body?.open(neverAborted).then((stream) => text(stream))).toBe('ID3 one two');
    }
  });

  it('is unknown when it breaks off', async () => {
    const progress = await submit(async function* () {
      yield 'ID3';
      await until(() => sink.pieces.length === 1);
      throw new Error('the server breaks the response off');
    });
    expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_FAILED' } });
  });

  it('is read no further than the limit', async () => {
    const bounds: { providerBodyBytes: number } = limits;
    jest.replaceProperty(bounds, 'providerBodyBytes', 100_000);
    const hungUp = Promise.withResolvers<void>();
    const progress = await submit(async function* (signal) {
      signal.addEventListener('abort', () => hungUp.resolve());
      while (!signal.aborted) yield Buffer.alloc(10_000);
    });
    expect(progress).toMatchObject({
      state: 'ended',
      outcome: { message: 'The output of the model is too large.' },
    });
    await hungUp.promise;
  });

  it('is not shown when the response is no sound', async () => {
    fakeServer.reply({ status: 200, json: { error: 'no' } });
    expect(await provider.submit(submission(), neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { ok: false },
    });
    expect(sink.pieces).toEqual([]);
  });
});
