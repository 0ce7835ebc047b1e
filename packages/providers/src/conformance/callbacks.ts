import { describe, expect, it } from '@jest/globals';
import type { CallbackReading, Handle } from '../interface.ts';
import { begin, expectNothingLeaks, type Parties } from './parties.ts';
import { type Callbacks, calledBack, runOf, type Subject, theirId } from './subject.ts';

type Sent = { headers?: Record<string, string>; body: Buffer; handle?: Handle | null };
type Reading = (sent: Sent) => Promise<CallbackReading>;

const nested = '['.repeat(100_000) + ']'.repeat(100_000);
const garbage = ['not JSON', '[]', '{}', '', nested, `{"status":"failed","error":${nested}}`].map((text) =>
  Buffer.from(text),
);

/** What adapters promise of callbacks: the end of a run, and nobody's lies. */
export function describeCallbacks(subject: Subject, parties: () => Parties): void {
  const called = calledBack(subject);
  const callbacks = subject.later?.callbacks;
  const read: Reading = async ({ headers, body, handle = null }) => {
    const { counterpart, provider } = parties();
    if (callbacks?.signing) counterpart.reply(callbacks.signing.key());
    const signed = callbacks?.signing?.headers(body, { atS: now(), forged: false }) ?? {};
    return provider.readCallback(
      { headers: headers ?? signed, body, receivedAtMs: Date.now() },
      { ...called, handle },
    );
  };

  it.each(garbage)(`${subject.name}: a callback of garbage says nothing (%#)`, async (body) => {
    expect(await read({ body })).toBeNull();
  });
  if (callbacks === undefined) return;

  describe(`${subject.name}: callbacks`, () => {
    describeReadings(subject, callbacks, parties, read);
    if (callbacks.signing) describeSignatures(subject, callbacks, callbacks.signing, parties, read);
  });
}

function describeReadings(
  subject: Subject,
  callbacks: Callbacks,
  parties: () => Parties,
  read: Reading,
): void {
  const called = calledBack(subject);
  const succeeded = { state: 'ended', outcome: { ok: true, ...subject.outcome } };

  it('tell the end of a run, as often as they come', async () => {
    const handle = await begin(subject, parties(), called);
    const body = bodyOf(callbacks.ended(handle.externalId));
    expect(await read({ body, handle })).toMatchObject(succeeded);
    expect(await read({ body, handle })).toMatchObject(succeeded);
  });

  it('tell of a failure', async () => {
    const handle = await begin(subject, parties(), called);
    const reading = await read({ body: bodyOf(callbacks.failed(handle.externalId)), handle });
    if (reading === null || typeof reading === 'string') throw new Error(`read as ${reading}`);
    expect(reading).toMatchObject({ state: 'ended', outcome: { ok: false } });
    expectNothingLeaks(reading, subject, parties());
  });

  it('may come before the submit has answered', async () => {
    const { id } = runOf(parties().provider, called, '');
    expect(await read({ body: bodyOf(callbacks.ended(id)) })).toMatchObject(succeeded);
  });

  it('about another run, or that say nothing of the end, are not taken', async () => {
    const handle = await begin(subject, parties(), called);
    expect(await read({ body: bodyOf(callbacks.ended('another')), handle })).toBeNull();
    expect(await read({ body: bodyOf(callbacks.notEnded(handle.externalId)), handle })).toBeNull();
  });

  const { asks } = callbacks;
  if (asks) {
    it('without the result cause a poll', async () => {
      const handle = await begin(subject, parties(), called);
      expect(await read({ body: bodyOf(asks(handle.externalId)), handle })).toBe('ask');
    });
  }
}

function describeSignatures(
  subject: Subject,
  callbacks: Callbacks,
  signing: NonNullable<Callbacks['signing']>,
  parties: () => Parties,
  read: Reading,
): void {
  const id = theirId;
  const body = bodyOf(callbacks.ended(id));
  const signed = (how: { atS?: number; forged?: boolean } = {}, of = body) =>
    signing.headers(of, { atS: now(), forged: false, ...how });

  it.each([
    ['signed with another key', () => signed({ forged: true })],
    ['with the signature of another body', () => signed({}, bodyOf(callbacks.failed(id)))],
    ['replayed', () => signed({ atS: now() - 301 })],
    ['from the future', () => signed({ atS: now() + 310 })],
    ['without a signature', () => ({})],
  ])('%s are not authentic', async (_what, headers) => {
    expect(await read({ body, headers: headers() })).toBeNull();
  });

  it.each(Object.keys(signed()))('without the header %s are not authentic', async (name) => {
    const { [name]: _left, ...headers } = signed();
    expect(await read({ body, headers })).toBeNull();
  });

  it.each([{ status: 503 }, { status: 401 }, 'reset', { status: 200, text: '<html>' }] as const)(
    'are brought again while the key to verify with is not to be had: %j',
    async (reply) => {
      const { counterpart, provider } = parties();
      counterpart.reply(reply);
      const run = { ...calledBack(subject), handle: null };
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
