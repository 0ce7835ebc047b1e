import { limits } from '@holdfast/domain/limits';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Handle } from '../interface.ts';
import type { Received, Reply } from './counterpart.ts';
import { accepted, adapterOf, begin, expectNothingLeaks, messageOf, never, type Parties } from './parties.ts';
import {
  callbackUrl,
  calledBack,
  type Later,
  type Run,
  runOf,
  type Subject,
  secrets,
  submissionOf,
} from './subject.ts';

/** What adapters promise whose runs end later: by callback, or when asked. */
export function describeLater(subject: Subject, parties: () => Parties): void {
  const { later } = subject;
  if (later === undefined) return;
  describe(`${subject.name}: runs that end later`, () => {
    describeAcceptance(subject, later, parties);
    describePolls(subject, later, parties);
    describeCancel(subject, later, parties);
  });
}

function describeAcceptance(subject: Subject, later: Later, parties: () => Parties): void {
  const called = calledBack(subject);
  const asked = { ...called, mode: 'poll' as const, callbackUrl: null };
  const handle = () => ({ externalId: runOf(parties().provider, called, '').id });

  if (later.callbacks) {
    it('asks for a callback, and says that it will come', async () => {
      const { counterpart, provider } = parties();
      counterpart.reply(accepted(subject, parties(), called));
      const progress = await provider.submit(called, never);
      expect(progress).toMatchObject({ state: 'running', by: 'callback', handle: handle() });
      expect(sentIn(counterpart.received[0])).toContain(callbackUrl);
    });
  }

  it('is polled where the provider cannot call back', async () => {
    const { counterpart, provider } = parties();
    counterpart.reply(accepted(subject, parties(), asked));
    const progress = await provider.submit(asked, never);
    expect(progress).toMatchObject({ state: 'running', by: 'poll', handle: handle() });
    expect(sentIn(counterpart.received[0])).not.toContain(callbackUrl);
  });

  it('a run that we name has an id for each attempt, which does not give the token away', () => {
    const { provider } = parties();
    const ours = provider.handleFor(called)?.externalId;
    if (ours === undefined) return;
    expect(provider.handleFor({ ...called, token: 'another-token' })?.externalId).not.toBe(ours);
    expect(ours).not.toContain(called.token);
  });
}

function describePolls(subject: Subject, later: Later, parties: () => Parties): void {
  afterEach(() => void jest.restoreAllMocks());
  const polled = submissionOf(subject, { mode: 'poll', timeoutMs: 60_000 });
  const ask = async (handle: Handle, replies: (run: Run) => readonly Reply[]) => {
    const { counterpart, provider } = parties();
    counterpart.reply(...replies({ id: handle.externalId, baseUrl: counterpart.baseUrl }));
    return provider.poll(polled, handle, never);
  };
  const begun = () => begin(subject, parties(), later.callbacks ? calledBack(subject) : polled);

  it('a poll says running, then how it ended', async () => {
    const handle = await begun();
    const running = { state: 'running', by: 'poll', handle, pollAfterMs: expect.any(Number) };
    expect(await ask(handle, later.running)).toMatchObject(running);
    expect(await ask(handle, later.succeeded)).toMatchObject({
      state: 'ended',
      outcome: { ok: true, ...subject.outcome },
    });
  });

  it.each([{ status: 500 }, { status: 503 }, { status: 429 }, 'reset', 'half a body'] as const)(
    'a poll that meets %j is repeated later',
    async (reply) => {
      const handle = await begun();
      expect(await ask(handle, () => [reply])).toMatchObject({ state: 'running', handle });
    },
  );

  it('ends a run whose poll returns more than is read, because every later poll would', async () => {
    const handle = await begun();
    const { counterpart } = parties();
    const bounds: { providerBodyBytes: number } = limits;
    jest.replaceProperty(bounds, 'providerBodyBytes', 1024 * 1024);
    const provider = adapterOf(subject, counterpart, secrets.apiKey);
    counterpart.reply('2 MiB');
    expect(await provider.poll(polled, handle, never)).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED', message: 'The output of the model is too large.' },
    });
    provider.close();
  });

  for (const { name, replies, code, says } of later.failures ?? []) {
    it(`a poll that meets ${name} ends with ${code}`, async () => {
      const progress = await ask(await begun(), replies);
      expect(progress).toMatchObject({ state: 'ended', outcome: { ok: false, code } });
      expectNothingLeaks(progress, subject, parties());
      if (says) expect(messageOf(progress)).toMatch(says);
    });
  }

  const { telling } = later;
  if (telling) {
    it('a poll tells how far the run is', async () => {
      const progress = await ask(await begun(), telling.replies);
      expect(progress).toMatchObject({ state: 'running', ...telling.told });
    });
  }
}

function describeCancel(subject: Subject, { cancel }: Later, parties: () => Parties): void {
  it('tells the server to stop a run', async () => {
    const { counterpart, provider } = parties();
    const handle = await begin(subject, parties(), calledBack(subject));
    counterpart.reply({ status: 200 });
    await provider.cancel(handle, never);
    const { method } = cancel;
    expect(counterpart.received).toMatchObject([{ method, path: cancel.path(handle) }]);
  });

  it('does not mind a run that has ended or is gone, nor a server that is in trouble', async () => {
    const { counterpart, provider } = parties();
    const handle = await begin(subject, parties(), calledBack(subject));
    const page: Reply = { status: 200, text: '<html>' };
    for (const reply of [
      { status: 400 },
      { status: 404 },
      { status: 500 },
      'reset',
      page,
    ] satisfies Reply[]) {
      counterpart.reply(reply);
      await provider.cancel(handle, never);
    }
    await counterpart.close();
    await expect(provider.cancel(handle, never)).resolves.toBeUndefined();
  });
}

/** A request's URL and body, as text. */
function sentIn(request: Received | undefined): string {
  return `${decodeURIComponent(request?.path ?? '')} ${JSON.stringify(request?.json)}`;
}
