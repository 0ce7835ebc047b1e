import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Handle, Progress, Provider, Submission } from '../interface.ts';
import { createFal } from './fal.ts';
import { type FakeFal, startFakeFal } from './testing/fakeFal.ts';

const neverAborted = new AbortController().signal;
const callbackUrl = 'http://127.0.0.1:9/v1/callbacks/fal/token?a=1&b=2';

let fal: FakeFal;
let provider: Provider;

beforeEach(async () => {
  fal = await startFakeFal();
  fal.plan({ endsAfterMs: null });
  provider = createFal(fal);
});

afterEach(async () => {
  provider.close();
  await fal.close();
});

function submissionOf(part: Partial<Submission> = {}): Submission {
  return {
    executionId: 'exec_1',
    token: 'token',
    startedAtMs: Date.now(),
    providerModel: 'fal-ai/flux/dev',
    input: { prompt: 'hello' },
    parts: [],
    options: {},
    mode: 'poll',
    mapping: { output: { kind: 'images' }, errors: [] },
    callbackUrl: null,
    timeoutMs: 10_000,
    ...part,
  };
}

const called = submissionOf({ mode: 'callback', callbackUrl });

async function startRun(submission: Submission): Promise<Handle> {
  const progress = await provider.submit(submission, neverAborted);
  if (progress.state !== 'running') throw new Error(`the run is ${JSON.stringify(progress)}`);
  return progress.handle;
}

describe('a submit', () => {
  it('sends the plain input, the callback URL, and the retention of files', async () => {
    await provider.submit({ ...called, options: { path: '/image-to-image' } }, neverAborted);
    const [sent] = fal.received;
    expect(sent?.path).toBe(`/fal-ai/flux/dev/image-to-image?fal_webhook=${encodeURIComponent(callbackUrl)}`);
    expect(sent?.json).toEqual({ prompt: 'hello' });
    expect(sent?.headers['x-fal-object-lifecycle-preference']).toBe('{"expiration_duration_seconds":3600}');
    expect(fal.run(fal.accepted()[0] ?? '').webhook).toBe(callbackUrl);
  });

  it('sends numbers as text if the application requires it', async () => {
    const input = { duration: 5, seed: 7, prompt: 'x' };
    await provider.submit(submissionOf({ input, options: { strings: ['duration'] } }), neverAborted);
    expect(fal.received[0]?.json).toEqual({ duration: '5', seed: 7, prompt: 'x' });
  });
});

describe('a run in the queue', () => {
  const poll = (handle: Handle, submission = submissionOf()) =>
    provider.poll(submission, handle, neverAborted);

  it('reports its position, then its log, then its output', async () => {
    const handle = await startRun(submissionOf());
    expect(await poll(handle)).toMatchObject({ state: 'running', queuePosition: 1 });
    expect(await poll(handle)).toMatchObject({ state: 'running', logs: 'Done.' });
    await fal.finish(handle.externalId);
    const images = [{ url: `${fal.baseUrl}/files/1.png` }];
    expect(await poll(handle)).toMatchObject({
      state: 'ended',
      logs: 'Done.',
      outcome: { ok: true, output: { images }, measured: { seconds: 1.5 } },
    });
  });

  it('may wrap its result', async () => {
    fal.plan({ isWrapped: true });
    const handle = await startRun(submissionOf());
    await fal.finish(handle.externalId);
    expect(await poll(handle)).toMatchObject({ state: 'ended', outcome: { ok: true } });
  });

  it('is charged by its computing time, and a clip by its length', async () => {
    const measuredOf = async (kind: 'text' | 'videos', json: object) => {
      fal.plan({ ends: { status: 200, json } });
      const handle = await startRun(submissionOf());
      await fal.finish(handle.externalId);
      const progress = await poll(handle, submissionOf({ mapping: { output: { kind }, errors: [] } }));
      return progress.state === 'ended' && progress.outcome.ok ? progress.outcome.measured : progress;
    };
    expect(await measuredOf('text', { text: 'hello' })).toEqual({ seconds: 2.5 });
    expect(await measuredOf('videos', { video: { url: 'https://a/b.mp4' } })).toEqual({});
    expect(await measuredOf('videos', { video: { url: 'https://a/b.mp4', duration: 5 } })).toEqual({
      outputSeconds: 5,
    });
  });

  it('is polled again when it has ended and its result is not available yet', async () => {
    fal.plan({ ends: { status: 400, json: { detail: 'Request is still in progress' } } });
    const handle = await startRun(submissionOf());
    await fal.finish(handle.externalId);
    expect(await poll(handle)).toMatchObject({ state: 'running', handle });
    fal.plan({ ends: { status: 502, json: 'Bad gateway' } });
    const other = await startRun(submissionOf());
    await fal.finish(other.externalId);
    expect(await poll(other)).toMatchObject({ state: 'running', handle: other });
  });

  it('fails when the queue no longer knows it, but not at once', async () => {
    const handle = await startRun(submissionOf());
    const gone = { ...handle, status_url: `${fal.baseUrl}/fal-ai/flux/requests/gone/status` };
    expect(await poll(gone)).toMatchObject({ state: 'running' });
    const old = submissionOf({ startedAtMs: Date.now() - 61_000 });
    expect(await poll(gone, old)).toMatchObject({ state: 'ended', outcome: { code: 'GENERATION_FAILED' } });
  });
});

describe('a submit with an unknown outcome', () => {
  it('is awaited for a minute and not repeated', async () => {
    fal.plan({ submit: 'accept, then reset' });
    expect(await provider.submit(called, neverAborted)).toMatchObject({ state: 'unknown' });
    const recovered = await provider.recover(called, neverAborted);
    expect(recovered).toMatchObject({ state: 'running', by: 'callback', pollAfterMs: 60_000 });
    const { handle } = recovered as Extract<Progress, { state: 'running' }>;
    await provider.cancel(handle, neverAborted);
    expect(await provider.poll(called, handle, neverAborted)).toMatchObject({
      state: 'unknown',
      outcome: { code: 'GENERATION_FAILED' },
    });
    expect(fal.accepted()).toHaveLength(1);
    expect(fal.received).toHaveLength(1);
  });

  it('stays unknown without a callback', async () => {
    expect(await provider.recover(submissionOf(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(await provider.recover({ ...called, callbackUrl: null }, neverAborted)).toMatchObject({
      state: 'unknown',
    });
  });
});
