import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { neverAborted, until } from '../conformance/setup.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { Progress, Provider } from '../interface.ts';
import { createOpenai } from './openai.ts';
import { type FakeOpenai, startFakeOpenai } from './testing/fakeOpenai.ts';

let fake: FakeOpenai;
let provider: Provider;

beforeEach(async () => {
  fake = await startFakeOpenai();
  provider = createOpenai(fake);
});

afterEach(async () => {
  provider.close();
  await fake.close();
});

const submission = (endpoint: string, kind: 'text' | 'images' = 'text') =>
  submissionOf({ submission: { options: { endpoint }, mapping: { output: { kind }, errors: [] } } });

function handleIn(progress: Progress) {
  if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
  return progress.handle;
}

describe('a background response', () => {
  const run = submission('responses');

  it('is accepted, runs, and ends', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(run, neverAborted));
    expect(fake.accepted()).toEqual([handle.externalId]);
    expect(await provider.poll(run, handle, neverAborted)).toMatchObject({ state: 'running' });
    expect(fake.response(handle.externalId).state).toBe('in_progress');
    await fake.finish(handle.externalId);
    expect(await provider.poll(run, handle, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { ok: true },
    });
  });

  it('is cancelled, and does not succeed afterwards', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(run, neverAborted));
    await provider.cancel(handle, neverAborted);
    await fake.finish(handle.externalId);
    expect(await provider.poll(run, handle, neverAborted)).toMatchObject({
      outcome: { code: 'GENERATION_FAILED' },
    });
  });
});

describe('a submit with an unknown outcome', () => {
  it.each(['responses', 'chat', 'images', 'transcriptions'])('%s: is never repeated', async (endpoint) => {
    for (const submit of ['accept, then reset', 'accept, then half a body'] as const) {
      fake.plan({ submit });
      const accepted = fake.accepted().length;
      expect(await provider.submit(submission(endpoint), neverAborted)).toMatchObject({ state: 'unknown' });
      expect(await provider.recover(submission(endpoint), neverAborted)).toMatchObject({ state: 'unknown' });
      expect(fake.accepted()).toHaveLength(accepted + 1);
    }
  });

  it('closes its connection when it is aborted', async () => {
    fake.plan({ submit: 'accept, then silence' });
    const abort = new AbortController();
    const response = provider.submit(submission('chat'), abort.signal);
    await until(() => fake.accepted().length === 1);
    abort.abort();
    expect(await response).toMatchObject({ state: 'unknown' });
  });
});

it.each([
  ['chat', 'text'],
  ['transcriptions', 'text'],
  ['images', 'images'],
  ['image_edits', 'images'],
] as const)('%s respond to the submit with the result', async (endpoint, kind) => {
  expect(await provider.submit(submission(endpoint, kind), neverAborted)).toMatchObject({
    state: 'ended',
    outcome: { ok: true },
  });
});

it('a refused key is reported to the operator', async () => {
  const stranger = createOpenai({ ...fake, apiKey: 'sk-another-key-0000' });
  expect(await stranger.submit(submission('chat'), neverAborted)).toMatchObject({
    state: 'refused',
    retryAfterMs: null,
    alert: expect.stringContaining('401 invalid_api_key'),
    outcome: { raw: expect.stringContaining('Incorrect API key') },
  });
  stranger.close();
});
