import { describe, expect, it } from '@jest/globals';
import type { Provider } from '../interface.ts';
import type { Counterpart } from './counterpart.ts';
import { type Subject, submissionOf } from './subject.ts';

type Parties = { counterpart: Counterpart; provider: Provider };

const callbackUrl = 'http://127.0.0.1:9/callbacks/token';

/** What adapters promise whose runs end later: by callback, or when asked. */
export function describeCallbacks(subject: Subject, parties: () => Parties): void {
  const { later } = subject;
  const never = new AbortController().signal;
  const garbage = [Buffer.from('not JSON'), Buffer.from('[]'), Buffer.from('{}'), Buffer.alloc(0)];

  it.each(garbage)(`${subject.name}: a callback of garbage says nothing (%#)`, async (body) => {
    const { token, mapping } = submissionOf(subject);
    const run = { token, mapping, handle: null };
    expect(await parties().provider.readCallback({ headers: {}, body }, run)).toBeNull();
  });
  if (later === undefined) return;

  const called = submissionOf(subject, { mode: 'callback', callbackUrl });
  const read = (json: object) => {
    const { provider } = parties();
    const body = Buffer.from(JSON.stringify(json));
    const { token, mapping } = called;
    return provider.readCallback({ headers: {}, body }, { token, mapping, handle: null });
  };
  const idOf = () => parties().provider.handleFor(called)?.externalId ?? '';

  describe(`${subject.name}: runs that end later`, () => {
    it('asks for a callback, and says that it will come', async () => {
      const { counterpart, provider } = parties();
      counterpart.reply(later.accepted(idOf()));
      const progress = await provider.submit(called, never);
      expect(progress).toMatchObject({
        state: 'running',
        by: 'callback',
        handle: provider.handleFor(called),
      });
      expect(JSON.stringify(counterpart.received[0]?.json)).toContain(callbackUrl);
    });

    it('is asked about where nobody can call us', async () => {
      const { counterpart, provider } = parties();
      counterpart.reply(later.accepted(idOf()));
      const progress = await provider.submit({ ...called, callbackUrl: null }, never);
      expect(progress).toMatchObject({ state: 'running', by: 'poll', handle: provider.handleFor(called) });
      expect(JSON.stringify(counterpart.received[0]?.json)).not.toContain(callbackUrl);
    });

    it('a poll says running, then how it ended', async () => {
      const { counterpart, provider } = parties();
      const handle = provider.handleFor(called);
      if (handle === null) throw new Error('no handle');
      const polled = submissionOf(subject, { mode: 'poll' });
      counterpart.reply(later.accepted(idOf()), subject.success(idOf()));
      expect(await provider.poll(polled, handle, never)).toMatchObject({
        state: 'running',
        by: 'poll',
        handle,
      });
      expect(await provider.poll(polled, handle, never)).toMatchObject({
        state: 'ended',
        outcome: { ok: true },
      });
    });

    it.each([{ status: 500 }, { status: 503 }, { status: 429 }, 'reset', 'half a body'] as const)(
      'a poll that meets %j is asked again later',
      async (reply) => {
        const { counterpart, provider } = parties();
        const handle = provider.handleFor(called);
        if (handle === null) throw new Error('no handle');
        counterpart.reply(reply);
        expect(await provider.poll(called, handle, never)).toMatchObject({ state: 'running', handle });
      },
    );

    it('reads the callback of the end', async () => {
      expect(await read(later.ended(idOf()))).toMatchObject({
        state: 'ended',
        outcome: { ok: true, ...subject.outcome },
      });
      expect(await read(later.failed(idOf()))).toMatchObject({ state: 'ended', outcome: { ok: false } });
    });

    it('does not take a callback about another run, nor one that says nothing of the end', async () => {
      expect(await read(later.ended('another'))).toBeNull();
      expect(await read(later.notEnded(idOf()))).toBeNull();
    });

    it('tells the server to stop a run', async () => {
      const { counterpart, provider } = parties();
      const handle = provider.handleFor(called);
      if (handle === null) throw new Error('no handle');
      counterpart.reply({ status: 200 });
      await provider.cancel(handle, never);
      expect(counterpart.received[0]).toMatchObject({ method: 'POST', path: later.cancelPath(handle) });
    });

    it('gives each attempt an id of its own, which does not give the token away', () => {
      const { provider } = parties();
      const other = provider.handleFor({ ...called, token: 'another-token' });
      expect(other?.externalId).not.toBe(idOf());
      expect(idOf()).not.toContain(called.token);
    });
  });
}
