import { describe, expect, it } from '@jest/globals';
import type { CallbackReading, Handle } from '../interface.ts';
import { expectNothingLeaks, startRun, type TestSetup } from './setup.ts';
import { type Callbacks, callbackSubmission, providerRunId, runOf, type Subject } from './subject.ts';

type Sent = { headers?: Record<string, string>; body: Buffer; handle?: Handle | null };
type Reading = (sent: Sent) => Promise<CallbackReading>;

/** Any recursion without a limit overflows the stack of Node. */
const nested = '['.repeat(20_000) + ']'.repeat(20_000);
const garbage = ['not JSON', '[]', '{}', '', nested, `{"status":"failed","error":${nested}}`].map((text) =>
  Buffer.from(text),
);

/** The contract for callbacks: they report the end of a run, and forged ones are ignored. */
export function describeCallbacks(subject: Subject, setup: () => TestSetup): void {
  const called = callbackSubmission(subject);
  const callbacks = subject.asyncRuns?.callbacks;
  const read: Reading = async ({ headers, body, handle = null }) => {
    const { fakeServer, provider } = setup();
    if (callbacks?.signing) fakeServer.reply(callbacks.signing.key());
    const signed = callbacks?.signing?.headers(body, { atS: now(), forged: false }) ?? {};
    return provider.readCallback(
      { headers: headers ?? signed, body, receivedAtMs: Date.now() },
      { ...called, handle },
    );
  };

  it.each(garbage)(`${subject.name}: an invalid callback is ignored (%#)`, async (body) => {
    expect(await read({ body })).toBeNull();
  });
  if (callbacks === undefined) return;

  describe(`${subject.name}: callbacks`, () => {
    describeReadings(subject, callbacks, setup, read);
    if (callbacks.signing) describeSignatures(subject, callbacks, callbacks.signing, setup, read);
  });
}

function describeReadings(
  subject: Subject,
  callbacks: Callbacks,
  setup: () => TestSetup,
  read: Reading,
): void {
  const called = callbackSubmission(subject);
  const succeeded = { state: 'ended', outcome: { ok: true, ...subject.outcome } };

  it('report the end of a run, also when they are repeated', async () => {
    const handle = await startRun(subject, setup(), called);
    const body = bodyOf(callbacks.ended(handle.externalId));
    expect(await read({ body, handle })).toMatchObject(succeeded);
    expect(await read({ body, handle })).toMatchObject(succeeded);
  });

  it('report a failure', async () => {
    const handle = await startRun(subject, setup(), called);
    const reading = await read({ body: bodyOf(callbacks.failed(handle.externalId)), handle });
    if (reading === null || typeof reading === 'string') throw new Error(`read as ${reading}`);
    expect(reading).toMatchObject({ state: 'ended', outcome: { ok: false } });
    expectNothingLeaks(reading, subject, setup());
  });

  it('may arrive before the submit has returned', async () => {
    const { id } = runOf(setup().provider, called, '');
    expect(await read({ body: bodyOf(callbacks.ended(id)) })).toMatchObject(succeeded);
  });

  it('about another run, or without an end, are ignored', async () => {
    const handle = await startRun(subject, setup(), called);
    expect(await read({ body: bodyOf(callbacks.ended('another')), handle })).toBeNull();
    expect(await read({ body: bodyOf(callbacks.notEnded(handle.externalId)), handle })).toBeNull();
  });

  const { incomplete } = callbacks;
  if (incomplete) {
    it('without the result cause a poll', async () => {
      const handle = await startRun(subject, setup(), called);
      expect(await read({ body: bodyOf(incomplete(handle.externalId)), handle })).toBe('poll');
    });
  }
}

function describeSignatures(
  subject: Subject,
  callbacks: Callbacks,
  signing: NonNullable<Callbacks['signing']>,
  setup: () => TestSetup,
  read: Reading,
): void {
  const id = providerRunId;
  const body = bodyOf(callbacks.ended(id));
  const signed = (how: { atS?: number; forged?: boolean } = {}, of = body) =>
    signing.headers(of, { atS: now(), forged: false, ...how });

  it.each([
    ['signed with another key', () => signed({ forged: true })],
    ['with the signature of another body', () => signed({}, bodyOf(callbacks.failed(id)))],
    ['replayed', () => signed({ atS: now() - 301 })],
    ['from the future', () => signed({ atS: now() + 310 })],
    ['without a signature', () => ({})],
  ])('%s are refused', async (_what, headers) => {
    expect(await read({ body, headers: headers() })).toBeNull();
  });

  it.each(Object.keys(signed()))('without the header %s are refused', async (name) => {
    const { [name]: _omitted, ...headers } = signed();
    expect(await read({ body, headers })).toBeNull();
  });

  it.each([{ status: 503 }, { status: 401 }, 'reset', { status: 200, text: '<html>' }] as const)(
    'are read again later if the key cannot be fetched: %j',
    async (reply) => {
      const { fakeServer, provider } = setup();
      fakeServer.reply(reply);
      const run = { ...callbackSubmission(subject), handle: null };
      expect(await provider.readCallback({ headers: signed(), body, receivedAtMs: Date.now() }, run)).toBe(
        'later',
      );
      expect(await read({ body })).toMatchObject({ state: 'ended', outcome: { ok: true } });
    },
  );
}

function bodyOf(json: object): Buffer {
  return Buffer.from(JSON.stringify(json));
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
