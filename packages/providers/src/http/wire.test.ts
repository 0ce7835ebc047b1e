import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { neverAborted } from '../conformance/setup.ts';
import { submissionOf } from '../conformance/subject.ts';
import { startWireServer, type WireServer } from '../conformance/wireServer.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { createHttp } from './http.ts';
import { type FakeHttp, fakeHttpOptions, startFakeHttp } from './testing/fakeHttp.ts';

let fake: FakeHttp;
let gateway: WireServer;
let provider: Provider;

beforeEach(async () => {
  [fake, gateway] = await Promise.all([startFakeHttp(), startWireServer(() => ({ status: 200 }))]);
  provider = createHttp(fake);
});

afterEach(async () => {
  provider.close();
  await Promise.all([fake.close(), gateway.close()]);
});

const submission = (part: Partial<Submission> = {}) =>
  submissionOf({ submission: { options: fakeHttpOptions, mode: 'poll' } }, part);
const called = () => submission({ mode: 'callback', callbackUrl: `${gateway.origin}/callbacks/token` });
const succeeded = { state: 'ended', outcome: { ok: true, output: { text: 'hello' } } };

function handleIn(progress: Progress) {
  if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
  return progress.handle;
}

describe('a job', () => {
  it('is polled until it has ended', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(submission(), neverAborted));
    expect(await provider.poll(submission(), handle, neverAborted)).toMatchObject({ state: 'running' });
    await fake.finish(handle.externalId);
    expect(await provider.poll(submission(), handle, neverAborted)).toMatchObject(succeeded);
  });

  it('is cancelled', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(submission(), neverAborted));
    await provider.cancel(handle, neverAborted);
    expect(fake.job(handle.externalId).state).toBe('stopped');
    expect(await provider.poll(submission(), handle, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { code: 'GENERATION_FAILED' },
    });
  });

  it('sends a signed callback, and unsigned ones are refused', async () => {
    fake.plan({ endsAfterMs: null });
    const handle = handleIn(await provider.submit(called(), neverAborted));
    expect(await fake.finish(handle.externalId)).toEqual([200]);
    const [callback] = gateway.received;
    if (callback === undefined) throw new Error('no callback arrived');
    const headers = { 'x-signature': String(callback.headers['x-signature']) };
    const { body } = callback;
    expect(
      await provider.readCallback({ headers, body, receivedAtMs: Date.now() }, { ...called(), handle }),
    ).toMatchObject(succeeded);
    const forged = Buffer.from(body.toString().replace('hello', 'hacked'));
    expect(
      await provider.readCallback(
        { headers, body: forged, receivedAtMs: Date.now() },
        { ...called(), handle },
      ),
    ).toBeNull();
  });
});

describe('a submit with an unknown outcome', () => {
  it.each(['accept, then reset', 'accept, then half a body'] as const)(
    '%s: is found by our token and not repeated',
    async (submit) => {
      fake.plan({ submit, endsAfterMs: null });
      expect(await provider.submit(submission(), neverAborted)).toMatchObject({ state: 'unknown' });
      const handle = handleIn(await provider.recover(submission(), neverAborted));
      expect([handle.externalId]).toEqual(fake.accepted());
      await fake.finish(handle.externalId);
      expect(await provider.poll(submission(), handle, neverAborted)).toMatchObject(succeeded);
    },
  );

  it('was not accepted if it never arrived', async () => {
    fake.plan({ submit: 'reset' });
    expect(await provider.submit(submission(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(await provider.recover(submission(), neverAborted)).toMatchObject({ state: 'refused' });
    expect(fake.accepted()).toEqual([]);
  });
});
