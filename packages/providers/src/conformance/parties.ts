import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Handle, Progress, Provider, Submission } from '../interface.ts';
import { type Counterpart, type Reply, startCounterpart } from './counterpart.ts';
import { runOf, type Subject, secrets } from './subject.ts';

/** An adapter and the server it talks to. */
export type Parties = { counterpart: Counterpart; provider: Provider };

export const never: AbortSignal = new AbortController().signal;

/** New ones for each test. */
export function eachWithParties(subject: Subject): () => Parties {
  let parties: Parties;
  beforeEach(async () => {
    const counterpart = await startCounterpart();
    parties = { counterpart, provider: adapterOf(subject, counterpart, secrets.apiKey) };
  });
  afterEach(async () => {
    parties.provider.close();
    await parties.counterpart.close();
  });
  return () => parties;
}

export function adapterOf(subject: Subject, { baseUrl }: Counterpart, apiKey: string | null): Provider {
  return subject.create({ baseUrl, apiKey, settings: subject.settings?.(baseUrl) ?? {} });
}

/** Submits a run that goes on; what it remembers of it. */
export async function begin(subject: Subject, parties: Parties, submission: Submission): Promise<Handle> {
  const { counterpart, provider } = parties;
  counterpart.reply(accepted(subject, parties, submission));
  const progress = await provider.submit(submission, never);
  if (progress.state !== 'running') throw new Error(`the run is ${JSON.stringify(progress)}`);
  counterpart.received.length = 0;
  return progress.handle;
}

export function accepted(
  { later }: Subject,
  { counterpart, provider }: Parties,
  submission: Submission,
): Reply {
  return later?.accepted(runOf(provider, submission, counterpart.baseUrl)) ?? 'reset';
}

/** What a client sees of a failure names nobody; what the operator sees is there, without our key. */
export function expectNothingLeaks(progress: Progress, subject: Subject, { counterpart }: Parties): void {
  const { host } = new URL(counterpart.baseUrl);
  const message = messageOf(progress);
  for (const word of [...Object.values(secrets), host, '127.0.0.1', subject.name]) {
    expect(message.toLowerCase()).not.toContain(word.toLowerCase());
  }
  expect(message.trim()).not.toBe('');
  expect(message).not.toMatch(/https?:|\n/);
  expect(JSON.stringify(progress)).not.toContain(secrets.apiKey);
  const raw = ('outcome' in progress && !progress.outcome.ok && progress.outcome.raw) || '';
  expect(raw).not.toBe('');
  expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(4096);
}

export function messageOf(progress: Progress): string {
  return 'outcome' in progress && !progress.outcome.ok ? progress.outcome.message : '';
}

/** What the operator is shown of it. */
export function rawOf(progress: Progress): string {
  return 'outcome' in progress && !progress.outcome.ok ? (progress.outcome.raw ?? '') : '';
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
