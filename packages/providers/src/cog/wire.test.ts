import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { never, until } from '../conformance/parties.ts';
import { submissionOf } from '../conformance/subject.ts';
import { startWireServer, type WireServer } from '../conformance/wireServer.ts';
import type { Provider, Submission } from '../interface.ts';
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
const called = () => submission({ mode: 'callback', callbackUrl: `${gateway.origin}/callbacks/token` });
const succeeded = { state: 'ended', outcome: { ok: true, output: { text: 'hello' } } };

it('answers on the connection of the request', async () => {
  expect(await provider.submit(submission(), never)).toMatchObject(succeeded);
});

describe('a run that calls back', () => {
  it('has ended when the container says so', async () => {
    fake.plan({ endsAfterMs: null });
    const progress = await provider.submit(called(), never);
    if (progress.state !== 'running') throw new Error('not running');
    expect(progress).toMatchObject({ by: 'callback', progress: 0.5 });
    const { handle } = progress;
    expect(await fake.finish(handle.externalId)).toEqual([200]);
    const body = gateway.received[0]?.body ?? Buffer.alloc(0);
    const read = await provider.readCallback(
      { headers: {}, body, receivedAtMs: Date.now() },
      { ...called(), handle },
    );
    expect(read).toMatchObject({ ...succeeded, logs: expect.stringContaining('50%|') });
  });

  it('is stopped', async () => {
    fake.plan({ endsAfterMs: null, remembers: true });
    const progress = await provider.submit(called(), never);
    if (progress.state !== 'running') throw new Error('not running');
    await provider.cancel(progress.handle, never);
    expect(fake.prediction(progress.handle.externalId).state).toBe('canceled');
  });
});

describe('a submit of which nobody knows', () => {
  it.each(['accept, then reset', 'accept, then half a body', 'accept, then html'] as const)(
    '%s: is joined, not begun once more',
    async (submit) => {
      fake.plan({ submit, endsAfterMs: null });
      await provider.submit(submission(), never);
      fake.plan({ submit: 'accept' });
      const recovered = provider.recover(submission(), never);
      await until(() => fake.received.length === 2);
      expect(fake.accepted()).toHaveLength(1);
      await fake.finish(fake.accepted()[0] ?? '');
      expect(await recovered).toMatchObject(succeeded);
    },
  );
});
