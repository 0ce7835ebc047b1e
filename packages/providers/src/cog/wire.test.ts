import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { never, until } from '../conformance/parties.ts';
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
async function begin(part: Partial<Submission> = {}): Promise<Handle> {
  fake.plan({ endsAfterMs: null });
  const progress = await provider.submit(called(part), never);
  if (progress.state !== 'running') throw new Error(`the run is ${progress.state}`);
  return progress.handle;
}

describe('a run of mode sync', () => {
  it('ends by the answer to its request', async () => {
    expect(await provider.submit(submission(), never)).toMatchObject(succeeded);
  });

  it('is begun once more when its connection broke, for Cog has cancelled it', async () => {
    fake.plan({ submit: 'accept, then reset', endsAfterMs: null });
    await provider.submit(submission(), never);
    const [first = ''] = fake.accepted();
    await until(() => fake.prediction(first).state === 'canceled');
    fake.plan({ submit: 'accept', endsAfterMs: 0 });
    expect(await provider.recover(submission(), never)).toMatchObject(succeeded);
    expect(fake.accepted()).toHaveLength(2);
  });
});

describe('a run of mode callback', () => {
  it('has ended when the container calls back', async () => {
    const handle = await begin();
    expect(await fake.finish(handle.externalId)).toEqual([200]);
    const body = gateway.received[0]?.body ?? Buffer.alloc(0);
    const read = await provider.readCallback(
      { headers: {}, body, receivedAtMs: Date.now() },
      { ...called(), handle },
    );
    expect(read).toMatchObject({ ...succeeded, logs: expect.stringContaining('50%|') });
  });

  it('shows its progress when it is asked about, and is asked about without its input', async () => {
    const handle = await begin();
    expect(provider.pollsWithInput?.(handle)).toBe(false);
    const shown = { state: 'running', by: 'callback', progress: 0.5, isSteady: true, handle };
    expect(await provider.poll(called({ input: { prompt: 'not sent' } }), handle, never)).toMatchObject(
      shown,
    );
    expect(fake.accepted()).toHaveLength(1);
    expect(fake.received.at(-1)?.json).toEqual({ input: [] });
  });

  it('is cancelled', async () => {
    const handle = await begin();
    await provider.cancel(handle, never);
    expect(fake.prediction(handle.externalId).state).toBe('canceled');
  });

  it.each(['accept, then reset', 'accept, then half a body', 'accept, then html'] as const)(
    'is found again, and begun once, when its submit meets: %s',
    async (submit) => {
      fake.plan({ submit, endsAfterMs: null });
      await provider.submit(called(), never);
      const recovered = await provider.recover(called(), never);
      expect(recovered).toMatchObject({ state: 'running', by: 'callback', progress: 0.5 });
      expect(fake.accepted()).toHaveLength(1);
    },
  );

  it.each([true, false])(
    'is not begun by being asked about (the container has a schema: %p)',
    async (has) => {
      fake.plan({ hasSchema: has });
      const recovered = await provider.recover(called(), never);
      expect(recovered).toMatchObject({ state: 'running', handle: { missingSince: expect.any(String) } });
      expect(fake.accepted()).toEqual([]);
    },
  );
});

describe('a run that its container is not at any more', () => {
  it('may still call back, and is waited for', async () => {
    const handle = await begin();
    fake.plan({ callsBack: false });
    await fake.finish(handle.externalId);
    const waiting = await provider.poll(called(), handle, never);
    expect(waiting).toMatchObject({ state: 'running', handle: { missingSince: expect.any(String) } });
    if (waiting.state !== 'running') return;
    expect(await provider.poll(called(), waiting.handle, never)).toMatchObject({ state: 'running' });
    expect(fake.accepted()).toHaveLength(1);
  });

  it('and whose callback did not come in two minutes is made once more, and the operator is told', async () => {
    const handle = await begin();
    await fake.finish(handle.externalId);
    fake.plan({ endsAfterMs: 0 });
    const missing = { ...handle, missingSince: String(minutesAgo(3)) };
    expect(provider.pollsWithInput?.(missing)).toBe(true);
    const ended = { ...succeeded, alert: expect.stringContaining('CALLBACK_URL') };
    expect(await provider.poll(called(), missing, never)).toMatchObject(ended);
    expect(fake.accepted()).toHaveLength(2);
  });

  it('for it has restarted, is lost at once', async () => {
    const handle = await begin({ startedAtMs: minutesAgo(1) });
    fake.restart();
    const asked = called({ startedAtMs: minutesAgo(1) });
    expect(await provider.poll(asked, handle, never)).toMatchObject({ ...lost, retryAfterMs: 1000 });
    fake.plan({ setup: 'under way' });
    expect(await provider.poll(asked, handle, never)).toMatchObject(lost);
    expect(fake.accepted()).toHaveLength(1);
  });

  it('for it has ended itself, is lost, unless it comes back, to all but other providers', async () => {
    const handle = await begin();
    await fake.close();
    expect(await provider.poll(called(), handle, never)).toMatchObject({ state: 'running' });
    const missing = { ...handle, missingSince: String(minutesAgo(1)) };
    expect(await provider.poll(called(), missing, never)).toMatchObject({ ...lost, retryAfterMs: null });
  });

  it('and of which nobody knows whether it was ever accepted, is lost after a quarter of a minute', async () => {
    const handle = { ...(await begin()), isUnheard: 'true', missingSince: String(Date.now()) };
    await fake.finish(handle.externalId);
    expect(await provider.poll(called(), handle, never)).toMatchObject({ state: 'running' });
    const missing = { ...handle, missingSince: String(minutesAgo(1)) };
    expect(await provider.poll(called(), missing, never)).toMatchObject({ ...lost, retryAfterMs: 1000 });
  });
});

describe('a container that refuses a run', () => {
  const refused = { state: 'refused', retryAfterMs: 1000 };

  it('for its slots are taken, or its setup is under way, is busy', async () => {
    await begin({ token: 'another' });
    fake.plan({ slots: 1 });
    expect(await provider.submit(called(), never)).toMatchObject({ ...refused, isBusy: true });
    fake.plan({ setup: 'under way' });
    expect(await provider.submit(called(), never)).toMatchObject({ ...refused, isBusy: true });
  });

  it('for its worker has died, is dead, and the operator is told', async () => {
    fake.killWorker();
    const progress = await provider.submit(called(), never);
    const alert = expect.stringMatching(/UNHEALTHY.*until it is restarted/);
    expect(progress).toMatchObject({ ...refused, isDead: true, alert });
    expect(progress).not.toHaveProperty('isBusy');
  });

  it('for its setup has failed, is dead, and the operator is told why', async () => {
    fake.plan({ setup: 'failed' });
    const alert = expect.stringMatching(/SETUP_FAILED: no weights/);
    expect(await provider.submit(called(), never)).toMatchObject({ ...refused, isDead: true, alert });
  });
});
