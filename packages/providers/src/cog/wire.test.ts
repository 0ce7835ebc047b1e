import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { neverAborted, until } from '../conformance/setup.ts';
import { submissionOf } from '../conformance/subject.ts';
import { startWireServer, type WireServer } from '../conformance/wireServer.ts';
import type { Handle, Provider, Submission } from '../interface.ts';
import { createCog } from './cog.ts';
import { type FakeCog, startFakeCog } from './testing/fakeCog.ts';

let fake: FakeCog;
let gateway: WireServer;
let provider: Provider;

beforeEach(async () => {
  [fake, gateway] = await Promise.all([startFakeCog(), startWireServer(() => ({ status: 200 }))]);
  provider = createCog(fake);
});

afterEach(async () => {
  provider.close();
  await Promise.all([fake.close(), gateway.close()]);
});

const submission = (part: Partial<Submission> = {}) =>
  submissionOf({ submission: { providerModel: 'upscaler' } }, part);
const called = (part: Partial<Submission> = {}) =>
  submission({ mode: 'callback', callbackUrl: `${gateway.origin}/callbacks/token`, ...part });
const succeeded = { state: 'ended', outcome: { ok: true, output: { text: 'hello' } } };
const lost = { state: 'refused', isLost: true, outcome: { code: 'MODEL_UNAVAILABLE' } };
const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

/** Submits a run that calls back and does not end by itself; its handle. */
async function startRun(part: Partial<Submission> = {}): Promise<Handle> {
  fake.plan({ endsAfterMs: null });
  const progress = await provider.submit(called(part), neverAborted);
  if (progress.state !== 'running') throw new Error(`the run is ${progress.state}`);
  return progress.handle;
}

describe('a run of mode sync', () => {
  it('is started once more when its connection broke, because Cog has cancelled it', async () => {
    fake.plan({ submit: 'accept, then reset', endsAfterMs: null });
    await provider.submit(submission(), neverAborted);
    const [first = ''] = fake.accepted();
    await until(() => fake.prediction(first).state === 'canceled');
    fake.plan({ submit: 'accept', endsAfterMs: 0 });
    expect(await provider.recover(submission(), neverAborted)).toMatchObject(succeeded);
    expect(fake.accepted()).toHaveLength(2);
  });
});

describe('a run of mode callback', () => {
  it('ends when the container calls back', async () => {
    const handle = await startRun();
    expect(await fake.finish(handle.externalId)).toEqual([200]);
    const body = gateway.received[0]?.body ?? Buffer.alloc(0);
    const read = await provider.readCallback(
      { headers: {}, body, receivedAtMs: Date.now() },
      { ...called(), handle },
    );
    expect(read).toMatchObject({ ...succeeded, logs: expect.stringContaining('50%|') });
  });

  it('reports its progress when it is polled, and the poll contains no input', async () => {
    const handle = await startRun();
    expect(provider.pollsWithInput?.(handle)).toBe(false);
    const shown = { state: 'running', by: 'callback', progress: 0.5, isSteady: true, handle };
    expect(
      await provider.poll(called({ input: { prompt: 'not sent' } }), handle, neverAborted),
    ).toMatchObject(shown);
    expect(fake.accepted()).toHaveLength(1);
    expect(fake.received.at(-1)?.json).toEqual({ input: [] });
  });

  it.each(['accept, then reset', 'accept, then half a body', 'accept, then html'] as const)(
    'is found again and started once when its submit meets: %s',
    async (submit) => {
      fake.plan({ submit, endsAfterMs: null });
      await provider.submit(called(), neverAborted);
      const recovered = await provider.recover(called(), neverAborted);
      expect(recovered).toMatchObject({ state: 'running', by: 'callback', progress: 0.5 });
      expect(fake.accepted()).toHaveLength(1);
    },
  );

  it.each([true, false])('is not started by a poll (the container has a schema: %p)', async (has) => {
    fake.plan({ hasSchema: has });
    const recovered = await provider.recover(called(), neverAborted);
    expect(recovered).toMatchObject({ state: 'running', handle: { missingSince: expect.any(String) } });
    expect(fake.accepted()).toEqual([]);
  });
});

describe('a run that its container no longer knows', () => {
  it('is awaited, because its callback may still come', async () => {
    const handle = await startRun();
    fake.plan({ callsBack: false });
    await fake.finish(handle.externalId);
    const waiting = await provider.poll(called(), handle, neverAborted);
    expect(waiting).toMatchObject({ state: 'running', handle: { missingSince: expect.any(String) } });
    if (waiting.state !== 'running') return;
    expect(await provider.poll(called(), waiting.handle, neverAborted)).toMatchObject({ state: 'running' });
    expect(fake.accepted()).toHaveLength(1);
  });

  it('is run once more when no callback came in two minutes, and the operator is alerted', async () => {
    const handle = await startRun();
    await fake.finish(handle.externalId);
    fake.plan({ endsAfterMs: 0 });
    const missing = { ...handle, missingSince: String(minutesAgo(3)) };
    expect(provider.pollsWithInput?.(missing)).toBe(true);
    const ended = { ...succeeded, alert: expect.stringContaining('CALLBACK_URL') };
    expect(await provider.poll(called(), missing, neverAborted)).toMatchObject(ended);
    expect(fake.accepted()).toHaveLength(2);
  });

  it('is lost at once when the container has restarted', async () => {
    const handle = await startRun({ startedAtMs: minutesAgo(1) });
    fake.restart();
    const polled = called({ startedAtMs: minutesAgo(1) });
    expect(await provider.poll(polled, handle, neverAborted)).toMatchObject({ ...lost, retryAfterMs: 1000 });
    fake.plan({ setup: 'under way' });
    expect(await provider.poll(polled, handle, neverAborted)).toMatchObject(lost);
    expect(fake.accepted()).toHaveLength(1);
  });

  it('is lost when the container ended it, unless it calls back, and only other providers may run it', async () => {
    const handle = await startRun();
    await fake.close();
    expect(await provider.poll(called(), handle, neverAborted)).toMatchObject({ state: 'running' });
    const missing = { ...handle, missingSince: String(minutesAgo(1)) };
    expect(await provider.poll(called(), missing, neverAborted)).toMatchObject({
      ...lost,
      retryAfterMs: null,
    });
  });

  it('is lost after 15 s when it may never have been accepted', async () => {
    const handle = { ...(await startRun()), isUnheard: 'true', missingSince: String(Date.now()) };
    await fake.finish(handle.externalId);
    expect(await provider.poll(called(), handle, neverAborted)).toMatchObject({ state: 'running' });
    const missing = { ...handle, missingSince: String(minutesAgo(1)) };
    expect(await provider.poll(called(), missing, neverAborted)).toMatchObject({
      ...lost,
      retryAfterMs: 1000,
    });
  });
});

describe('a container that refuses a run', () => {
  const refused = { state: 'refused', retryAfterMs: 1000 };

  it('is busy when its slots are taken or its setup has not finished', async () => {
    await startRun({ token: 'another' });
    fake.plan({ slots: 1 });
    expect(await provider.submit(called(), neverAborted)).toMatchObject({ ...refused, isBusy: true });
    fake.plan({ setup: 'under way' });
    expect(await provider.submit(called(), neverAborted)).toMatchObject({ ...refused, isBusy: true });
  });

  it('is dead when its worker has died, and the operator is alerted', async () => {
    fake.killWorker();
    const progress = await provider.submit(called(), neverAborted);
    const alert = expect.stringMatching(/UNHEALTHY.*until it is restarted/);
    expect(progress).toMatchObject({ ...refused, isDead: true, alert });
    expect(progress).not.toHaveProperty('isBusy');
  });

  it('is dead when its setup has failed, and the operator reads why', async () => {
    fake.plan({ setup: 'failed' });
    const alert = expect.stringMatching(/SETUP_FAILED: no weights/);
    expect(await provider.submit(called(), neverAborted)).toMatchObject({ ...refused, isDead: true, alert });
  });
});
