import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startTestServer } from '@holdfast/egress/testing/servers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Callback, Handle, Progress, Provider, Submission } from '../interface.ts';
import { createFal } from './fal.ts';
import { type FakeFal, startFakeFal } from './testing/fakeFal.ts';
import { fixture } from './testing/fixtures.ts';

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

async function startInbox(): Promise<{ url: string; callbacks: Callback[]; close(): Promise<void> }> {
  const callbacks: Callback[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    callbacks.push({
      headers: request.headers as Record<string, string>,
      body,
      receivedAtMs: Date.now(),
    });
    response.end();
  };
  const server = await startTestServer((request, response) => void take(request, response));
  return { url: `${server.url}/v1/callbacks/fal/token`, callbacks, close: server.close };
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

  it('is stopped, and a missing run is not an error', async () => {
    const handle = await startRun(submissionOf());
    await provider.cancel(handle, neverAborted);
    expect(fal.run(handle.externalId).isCancelled).toBe(true);
    await fal.finish(handle.externalId);
    await expect(provider.cancel(handle, neverAborted)).resolves.toBeUndefined();
  });
});

describe('a run with a callback', () => {
  it('ends only when the queue confirms it', async () => {
    const gateway = await startInbox();
    const submission = { ...called, callbackUrl: gateway.url };
    const handle = await startRun(submission);
    const run = { ...submission, handle };
    const read = async () => {
      const callback = gateway.callbacks.shift();
      if (callback === undefined) throw new Error('no callback arrived');
      return provider.readCallback(callback, run);
    };
    expect(await fal.finish(handle.externalId)).toEqual([200]);
    expect(await read()).toMatchObject({ state: 'ended', outcome: { ok: true } });
    await fal.callBack(handle.externalId, { forged: true });
    expect(await read()).toBeNull();
    await fal.callBack(handle.externalId, { atS: Math.floor(Date.now() / 1000) - 400 });
    expect(await read()).toBeNull();
    await fal.callBack(handle.externalId, { body: { ...fixture('webhookOk'), request_id: 'another' } });
    expect(await read()).toBeNull();
    await gateway.close();
  });
});

describe('a submit with an unknown outcome', () => {
  it.each(['accept, then reset', 'accept, then half a body', 'accept, then html'] as const)(
    '%s: is awaited for a minute and not repeated',
    async (submit) => {
      fal.plan({ submit });
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
    },
  );

  it('stays unknown without a callback', async () => {
    expect(await provider.recover(submissionOf(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(await provider.recover({ ...called, callbackUrl: null }, neverAborted)).toMatchObject({
      state: 'unknown',
    });
  });
});
