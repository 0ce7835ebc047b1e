import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { never, until } from '../conformance/parties.ts';
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

describe('the whole walk of a background response', () => {
  const run = submission('responses');

  it('is accepted, goes on, and ends', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(run, never));
    expect(fake.accepted()).toEqual([handle.externalId]);
    expect(await provider.poll(run, handle, never)).toMatchObject({ state: 'running' });
    expect(fake.response(handle.externalId).state).toBe('in_progress');
    await fake.finish(handle.externalId);
    expect(await provider.poll(run, handle, never)).toMatchObject({ state: 'ended', outcome: { ok: true } });
  });

  it('is stopped, and does not end well any more', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(run, never));
    await provider.cancel(handle, never);
    await fake.finish(handle.externalId);
    expect(await provider.poll(run, handle, never)).toMatchObject({ outcome: { code: 'GENERATION_FAILED' } });
  });
});

describe('a submit of which nobody knows', () => {
  it.each(['responses', 'chat', 'images', 'transcriptions'])('%s: is never sent twice', async (endpoint) => {
    for (const submit of ['accept, then reset', 'accept, then half a body'] as const) {
      fake.plan({ submit });
      const accepted = fake.accepted().length;
      expect(await provider.submit(submission(endpoint), never)).toMatchObject({ state: 'unknown' });
      expect(await provider.recover(submission(endpoint), never)).toMatchObject({ state: 'unknown' });
      expect(fake.accepted()).toHaveLength(accepted + 1);
    }
  });

  it('is let go of when it is aborted', async () => {
    fake.plan({ submit: 'accept, then silence' });
    const abort = new AbortController();
    const answer = provider.submit(submission('chat'), abort.signal);
    await until(() => fake.accepted().length === 1);
    abort.abort();
    expect(await answer).toMatchObject({ state: 'unknown' });
  });
});

it.each([
  ['chat', 'text'],
  ['transcriptions', 'text'],
  ['images', 'images'],
  ['image_edits', 'images'],
] as const)('%s answers at once', async (endpoint, kind) => {
  expect(await provider.submit(submission(endpoint, kind), never)).toMatchObject({
    state: 'ended',
    outcome: { ok: true },
  });
});

it('a key that is not known there is told to the operator', async () => {
  const stranger = createOpenai({ ...fake, apiKey: 'sk-another-key-0000' });
  expect(await stranger.submit(submission('chat'), never)).toMatchObject({
    state: 'refused',
    retryAfterMs: null,
    alert: expect.stringContaining('401 invalid_api_key'),
    outcome: { raw: expect.stringContaining('Incorrect API key') },
  });
  stranger.close();
});
