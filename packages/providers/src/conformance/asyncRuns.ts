import { limits } from '@holdfast/domain/limits';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Handle } from '../interface.ts';
import type { Received, Reply } from './fakeServer.ts';
import {
  accepted,
  adapterOf,
  expectNothingLeaks,
  messageOf,
  neverAborted,
  startRun,
  type TestSetup,
} from './setup.ts';
import {
  type AsyncRuns,
  callbackSubmission,
  callbackUrl,
  type Run,
  runOf,
  type Subject,
  secrets,
  submissionOf,
} from './subject.ts';

/** The contract for runs that end after their submit has returned: by a callback or a poll. */
export function describeAsyncRuns(subject: Subject, setup: () => TestSetup): void {
  const { asyncRuns } = subject;
  if (asyncRuns === undefined) return;
  describe(`${subject.name}: asynchronous runs`, () => {
    describeAcceptance(subject, asyncRuns, setup);
    describePolls(subject, asyncRuns, setup);
    describeCancel(subject, asyncRuns, setup);
  });
}

function describeAcceptance(subject: Subject, asyncRuns: AsyncRuns, setup: () => TestSetup): void {
  const called = callbackSubmission(subject);
  const polled = { ...called, mode: 'poll' as const, callbackUrl: null };
  const handle = () => ({ externalId: runOf(setup().provider, called, '').id });

  if (asyncRuns.callbacks) {
    it('send the callback URL, and return that a callback will come', async () => {
      const { fakeServer, provider } = setup();
      fakeServer.reply(accepted(subject, setup(), called));
      const progress = await provider.submit(called, neverAborted);
      expect(progress).toMatchObject({ state: 'running', by: 'callback', handle: handle() });
      expect(sentIn(fakeServer.received[0])).toContain(callbackUrl);
    });
  }

  it('are polled if the provider cannot call back', async () => {
    const { fakeServer, provider } = setup();
    fakeServer.reply(accepted(subject, setup(), polled));
    const progress = await provider.submit(polled, neverAborted);
    expect(progress).toMatchObject({ state: 'running', by: 'poll', handle: handle() });
    expect(sentIn(fakeServer.received[0])).not.toContain(callbackUrl);
  });

  it('have an id per attempt that does not reveal the token, if the adapter chooses it', () => {
    const { provider } = setup();
    const ours = provider.handleFor(called)?.externalId;
    if (ours === undefined) return;
    expect(provider.handleFor({ ...called, token: 'another-token' })?.externalId).not.toBe(ours);
    expect(ours).not.toContain(called.token);
  });
}

function describePolls(subject: Subject, asyncRuns: AsyncRuns, setup: () => TestSetup): void {
  afterEach(() => void jest.restoreAllMocks());
  const polled = submissionOf(subject, { mode: 'poll', timeoutMs: 60_000 });
  const poll = async (handle: Handle, replies: (run: Run) => readonly Reply[]) => {
    const { fakeServer, provider } = setup();
    fakeServer.reply(...replies({ id: handle.externalId, baseUrl: fakeServer.baseUrl }));
    return provider.poll(polled, handle, neverAborted);
  };
  const startedRun = () =>
    startRun(subject, setup(), asyncRuns.callbacks ? callbackSubmission(subject) : polled);

  it('are reported by polls as running, then with their outcome', async () => {
    const handle = await startedRun();
    const running = { state: 'running', by: 'poll', handle, pollAfterMs: expect.any(Number) };
    expect(await poll(handle, asyncRuns.running)).toMatchObject(running);
    expect(await poll(handle, asyncRuns.succeeded)).toMatchObject({
      state: 'ended',
      outcome: { ok: true, ...subject.outcome },
    });
  });

  it.each([
    { status: 500 },
    { status: 503 },
    { status: 429 },
    { status: 401 },
    { status: 200, text: '<html>' },
    { status: 200, json: { hello: 'there' } },
    'reset',
    'half a body',
  ] as const)('are polled again after %j', async (reply) => {
    const handle = await startedRun();
    expect(await poll(handle, () => [reply])).toMatchObject({ state: 'running', handle });
  });

  it('fail when the response to a poll is too large, because every later one would be', async () => {
    const handle = await startedRun();
    const { fakeServer } = setup();
    const bounds: { providerBodyBytes: number } = limits;
    jest.replaceProperty(bounds, 'providerBodyBytes', 1024 * 1024);
    const provider = adapterOf(subject, fakeServer, secrets.apiKey);
    fakeServer.reply('2 MiB');
    expect(await provider.poll(polled, handle, neverAborted)).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED', message: 'The output of the model is too large.' },
    });
    provider.close();
  });

  for (const { name, replies, code, says } of asyncRuns.failures ?? []) {
    it(`end with ${code} when a poll returns ${name}`, async () => {
      const progress = await poll(await startedRun(), replies);
      expect(progress).toMatchObject({ state: 'ended', outcome: { ok: false, code } });
      expectNothingLeaks(progress, subject, setup());
      if (says) expect(messageOf(progress)).toMatch(says);
    });
  }

  const { withProgress } = asyncRuns;
  if (withProgress) {
    it('are reported with their progress', async () => {
      const progress = await poll(await startedRun(), withProgress.replies);
      expect(progress).toMatchObject({ state: 'running', ...withProgress.reported });
    });
  }
}

function describeCancel(subject: Subject, { cancel }: AsyncRuns, setup: () => TestSetup): void {
  it('are cancelled at the server', async () => {
    const { fakeServer, provider } = setup();
    const handle = await startRun(subject, setup(), callbackSubmission(subject));
    fakeServer.reply({ status: 200 });
    await provider.cancel(handle, neverAborted);
    const { method } = cancel;
    expect(fakeServer.received).toMatchObject([{ method, path: cancel.path(handle) }]);
  });

  it('can be cancelled without an error after their end, and while the server fails', async () => {
    const { fakeServer, provider } = setup();
    const handle = await startRun(subject, setup(), callbackSubmission(subject));
    const page: Reply = { status: 200, text: '<html>' };
    for (const reply of [
      { status: 400 },
      { status: 404 },
      { status: 500 },
      'reset',
      page,
    ] satisfies Reply[]) {
      fakeServer.reply(reply);
      await provider.cancel(handle, neverAborted);
    }
    await fakeServer.close();
    await expect(provider.cancel(handle, neverAborted)).resolves.toBeUndefined();
  });
}

/** A request's URL and body, as text. */
function sentIn(request: Received | undefined): string {
  return `${decodeURIComponent(request?.path ?? '')} ${JSON.stringify(request?.json)}`;
}
