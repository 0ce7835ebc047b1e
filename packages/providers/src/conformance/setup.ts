import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Handle, Progress, Provider, Submission } from '../interface.ts';
import { type FakeServer, type Reply, startFakeServer } from './fakeServer.ts';
import { runOf, type Subject, secrets } from './subject.ts';

/** The adapter under test and its fake server. */
export type TestSetup = { fakeServer: FakeServer; provider: Provider };

export const neverAborted: AbortSignal = new AbortController().signal;

/** Creates both anew for each test. */
export function setupForEachTest(subject: Subject): () => TestSetup {
  let setup: TestSetup;
  beforeEach(async () => {
    const fakeServer = await startFakeServer();
    setup = { fakeServer, provider: adapterOf(subject, fakeServer, secrets.apiKey) };
  });
  afterEach(async () => {
    setup.provider.close();
    await setup.fakeServer.close();
  });
  return () => setup;
}

export function adapterOf(subject: Subject, { baseUrl }: FakeServer, apiKey: string | null): Provider {
  return subject.create({ baseUrl, apiKey, settings: subject.settings?.(baseUrl) ?? {} });
}

/** Submits a run that keeps running, and returns its handle. */
export async function startRun(subject: Subject, setup: TestSetup, submission: Submission): Promise<Handle> {
  const { fakeServer, provider } = setup;
  fakeServer.reply(accepted(subject, setup, submission));
  const progress = await provider.submit(submission, neverAborted);
  if (progress.state !== 'running') throw new Error(`the run is ${JSON.stringify(progress)}`);
  fakeServer.received.length = 0;
  return progress.handle;
}

export function accepted(
  { asyncRuns }: Subject,
  { fakeServer, provider }: TestSetup,
  submission: Submission,
): Reply {
  return asyncRuns?.accepted(runOf(provider, submission, fakeServer.baseUrl)) ?? 'reset';
}

/** The client's message names neither provider nor host; the operator's text exists and does not contain our key. */
export function expectNothingLeaks(progress: Progress, subject: Subject, { fakeServer }: TestSetup): void {
  const { host } = new URL(fakeServer.baseUrl);
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

/** The text for the operator. */
export function rawOf(progress: Progress): string {
  return 'outcome' in progress && !progress.outcome.ok ? (progress.outcome.raw ?? '') : '';
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
