import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeServer } from '../conformance/fakeServer.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { Provider, Submission } from '../interface.ts';
import { createReplicate } from './replicate.ts';
import { type FakeReplicate, startFakeReplicate } from './testing/fakeReplicate.ts';
import { fixture, signed } from './testing/fixtures.ts';

const neverAborted = new AbortController().signal;
const version = '7762fd07cf82c948538e41f63f77d685e02b063e37e496e96eefd46c929f9bdc';
const token = 'token-of-the-attempt';
const callbackUrl = `http://127.0.0.1:9/v1/callbacks/replicate/${token}`;

let fake: FakeReplicate;
let provider: Provider;
let nowMs: number;
let waitedMs: number[];

beforeEach(async () => {
  fake = await startFakeReplicate();
  fake.plan({ endsAfterMs: null });
  nowMs = Date.now();
  waitedMs = [];
  const clock = {
    now: () => nowMs,
    wait: async (ms: number) => void waitedMs.push(ms),
  };
  provider = createReplicate(fake, clock);
});

afterEach(async () => {
  provider.close();
  await fake.close();
});

const submission = (part: Partial<Submission> = {}) =>
  submissionOf(
    { submission: {} },
    {
      mapping: { output: { kind: 'images' }, errors: [] },
      providerModel: 'acme/model',
      callbackUrl,
      token,
      ...part,
    },
  );

describe('a create', () => {
  it.each([
    ['acme/model', {}, '/v1/models/acme/model/predictions', undefined],
    [`acme/model:${version}`, {}, '/v1/predictions', version],
    [version, {}, '/v1/predictions', version],
    ['acme/model', { deployment: true }, '/v1/deployments/acme/model/predictions', undefined],
    ['acme/model', { version: 'v-of-options' }, '/v1/predictions', 'v-of-options'],
  ])('of %s with %j goes to %s', async (providerModel, options, path, itsVersion) => {
    await provider.submit(submission({ providerModel, options }), neverAborted);
    expect(fake.received).toMatchObject([{ method: 'POST', path, headers: { 'cancel-after': '10s' } }]);
    expect(fake.received[0]?.json).toEqual({
      ...(itsVersion && { version: itsVersion }),
      input: { prompt: 'hello' },
      webhook: callbackUrl,
      webhook_events_filter: ['completed'],
    });
  });

  it.each([
    [89_001, '90s'],
    [2000, '5s'],
  ])('with %i ms left is stopped after %s', async (timeoutMs, after) => {
    fake.plan({ create: { status: 500 } });
    await provider.submit(submission({ timeoutMs }), neverAborted);
    expect(fake.received[0]?.headers).toMatchObject({ 'cancel-after': after });
  });
});

describe('a create whose response was lost', () => {
  it('is found behind hundreds of others', async () => {
    await provider.submit(submission(), neverAborted);
    const [externalId] = fake.accepted();
    for (let count = 0; count < 250; count += 1) {
      await provider.submit(
        submission({ token: 'b', callbackUrl: 'https://elsewhere.example/hook' }),
        neverAborted,
      );
    }
    const found = await provider.recover(submission(), neverAborted);
    expect(found).toMatchObject({ state: 'running', handle: { externalId } });
    expect(fake.received.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  it('was not accepted if two searches miss it, the second 10 s after its start', async () => {
    fake.plan({ create: 'reset' });
    await provider.submit(submission(), neverAborted);
    expect(await provider.recover(submission({ startedAtMs: nowMs - 3000 }), neverAborted)).toMatchObject({
      state: 'refused',
      retryAfterMs: expect.any(Number),
    });
    expect(waitedMs).toEqual([7000]);
    expect(fake.received.filter(({ method }) => method === 'GET')).toHaveLength(2);
    await provider.recover(submission({ startedAtMs: nowMs - 600_000 }), neverAborted);
    expect(waitedMs).toEqual([7000, 2000]);
  });

  it('stays unknown if Replicate cannot call us', async () => {
    expect(await provider.recover(submission({ callbackUrl: null }), neverAborted)).toMatchObject({
      state: 'unknown',
    });
    expect(fake.received).toEqual([]);
  });

  it('stays unknown while a similar run has no webhook URL', async () => {
    await provider.submit(submission({ callbackUrl: null }), neverAborted);
    expect(await provider.recover(submission(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(await provider.recover(submission({ input: { prompt: 'other' } }), neverAborted)).toMatchObject({
      state: 'refused',
    });
  });

  it('is searched for again while the list is unavailable', async () => {
    const list = await startFakeServer();
    const run = fixture('processing', { webhook: callbackUrl });
    list.reply({ status: 503 }, 'reset', { status: 200, json: { next: null, results: [run] } });
    const clock = { now: () => nowMs, wait: async (ms: number) => void waitedMs.push(ms) };
    const asking = createReplicate({ ...fake, baseUrl: list.baseUrl }, clock);
    expect(await asking.recover(submission(), neverAborted)).toMatchObject({ state: 'running' });
    expect(list.received).toHaveLength(3);
    list.reply({ status: 429 });
    expect(await asking.recover(submission(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(list.received).toHaveLength(3 + 4);
    asking.close();
    await list.close();
  });

  it('stays unknown if the list continues at another host, which never receives our key', async () => {
    const other = await startFakeReplicate();
    const next = `${other.baseUrl}/predictions?cursor=1`;
    const links = await startFakeServer();
    links.reply({ status: 200, json: { next, results: [] } });
    const lost = createReplicate({ ...fake, baseUrl: links.baseUrl });
    expect(await lost.recover(submission(), neverAborted)).toMatchObject({ state: 'unknown' });
    expect(other.received).toEqual([]);
    lost.close();
    await Promise.all([links.close(), other.close()]);
  });
});

describe('the secret of webhooks', () => {
  const body = Buffer.from(JSON.stringify(fixture('succeeded', { webhook: callbackUrl })));
  const run = {
    token,
    handle: null,
    providerModel: 'acme/model',
    options: {},
    mapping: submission().mapping,
  };
  const read = (secret: string, by = provider) => {
    const atS = Math.floor(nowMs / 1000);
    return by.readCallback(
      { headers: signed(body, { secret, id: 'msg_1', atS }), body, receivedAtMs: Date.now() },
      run,
    );
  };
  const theirs = async () => {
    const response = await fetch(`${fake.baseUrl}/webhooks/default/secret`, {
      headers: { authorization: `Bearer ${fake.apiKey}` },
    });
    fake.received.length = 0;
    return ((await response.json()) as { key: string }).key;
  };

  it('is fetched once', async () => {
    const secret = await theirs();
    const readings = await Promise.all([read(secret), read(secret)]);
    const ended = { state: 'ended' };
    expect([...readings, await read(secret)]).toMatchObject([ended, ended, ended]);
    expect(fake.received).toHaveLength(1);
  });

  it('is fetched again after a rotation, at most once a minute', async () => {
    const old = await theirs();
    await read(old);
    fake.rotateSecret();
    const secret = await theirs();
    expect(await read(secret)).toBeNull();
    nowMs += 60_000;
    expect(await read(secret)).toMatchObject({ state: 'ended' });
    expect(await read(old)).toBeNull();
    expect(fake.received).toHaveLength(1);
  });

  it('is not fetched again for every forged webhook when it cannot be fetched', async () => {
    const nowhere = createReplicate({ ...fake, apiKey: 'wrong' }, { now: () => nowMs, wait: async () => 0 });
    for (let forgeries = 0; forgeries < 10; forgeries += 1) {
      expect(await read('whsec_AAAA', nowhere)).toBe('later');
    }
    expect(fake.received).toHaveLength(1);
    nowMs += 5000;
    await read('whsec_AAAA', nowhere);
    expect(fake.received).toHaveLength(2);
    nowhere.close();
  });

  it.each(['whsec_', 'whsec_!?', 'whsec_AAAA'])('is unusable if it is not a key: %s', async (set) => {
    const configured = createReplicate(
      { ...fake, settings: { WEBHOOK_SECRET: set } },
      { now: () => nowMs, wait: async () => 0 },
    );
    expect(await read(set, configured)).toBeNull();
    configured.close();
  });

  it('is the one that the operator has set', async () => {
    const set = `whsec_${Buffer.from('what the operator has set').toString('base64')}`;
    const configured = createReplicate(
      { ...fake, settings: { WEBHOOK_SECRET: set } },
      { now: () => nowMs, wait: async () => 0 },
    );
    expect(await read(set, configured)).toMatchObject({ state: 'ended' });
    expect(await read(await theirs(), configured)).toBeNull();
    expect(fake.received).toEqual([]);
    configured.close();
  });

  it('signs for its whole account, so a callback for another attempt is refused', async () => {
    const secret = await theirs();
    const headers = signed(body, { secret, id: 'msg_1', atS: Math.floor(nowMs / 1000) });
    expect(
      await provider.readCallback({ headers, body, receivedAtMs: Date.now() }, { ...run, token: 'another' }),
    ).toBeNull();
  });
});

describe('a callback without its URL', () => {
  it('is not assigned before our submit has returned, because it may belong to another run', async () => {
    const configured = createReplicate(
      { ...fake, settings: { WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` } },
      { now: () => nowMs, wait: async () => 0 },
    );
    const body = Buffer.from(JSON.stringify(fixture('succeeded', { id: 'of-another-run' })));
    const headers = signed(body, {
      secret: `whsec_${'A'.repeat(32)}`,
      id: 'msg_1',
      atS: Math.floor(Date.now() / 1000),
    });
    const run = { token, providerModel: 'acme/model', options: {}, mapping: submission().mapping };
    const read = (handle: { externalId: string } | null) =>
      configured.readCallback({ headers, body, receivedAtMs: Date.now() }, { ...run, handle });
    expect(await read(null)).toBe('later');
    expect(await read({ externalId: 'ours' })).toBeNull();
    expect(await read({ externalId: 'of-another-run' })).toMatchObject({ state: 'ended' });
    configured.close();
  });
});

describe('the end of a run', () => {
  it('has images, tokens and log', async () => {
    fake.plan({ ends: { ...fixture('tokens'), logs: 'Done.' } });
    const text = submission({ mapping: { output: { kind: 'text' }, errors: [] } });
    const begun = await provider.submit(text, neverAborted);
    if (begun.state !== 'running') throw new Error('not running');
    await fake.finish(fake.accepted()[0] ?? '');
    expect(await provider.poll(text, begun.handle, neverAborted)).toEqual({
      state: 'ended',
      logs: 'Done.',
      outcome: {
        ok: true,
        output: { text: 'Arr, me hearty!' },
        usage: { inputTokens: 26, outputTokens: 5 },
        measured: { seconds: 2.86309 },
      },
    });
  });
});
