import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedAttempt } from '@holdfast/db/attempts/lease';
import { providerMode } from '@holdfast/domain/modelRoute';
import { mappingOf } from '@holdfast/domain/outcome';
import type { PreparedInput } from '@holdfast/providers/input';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import type { Slots } from '../schedule/slots.ts';
import type { Route } from './route.ts';
import type { Stream } from './streams.ts';

export type Attempt = Omit<ClaimedAttempt, 'state' | 'ended' | 'handle'> &
  Partial<Pick<ClaimedAttempt, 'handle'>>;

/** What the provider is sent. Without a prepared input it serves to query or cancel a run only. */
export function toSubmission(
  { definition, route, callbackUrl }: Pick<Route, 'definition' | 'route' | 'callbackUrl'>,
  attempt: Attempt,
  { input, parts }: PreparedInput = { input: attempt.input, parts: [] },
): Submission {
  return {
    executionId: attempt.executionId,
    token: attempt.attemptToken,
    startedAtMs: attempt.startedAtMs,
    providerModel: route.model,
    parts,
    input,
    options: route.options,
    mode: providerMode(route, attempt.input),
    mapping: mappingOf(definition, route, attempt.input),
    callbackUrl: callbackUrl && `${callbackUrl}/${attempt.attemptToken}`,
    timeoutMs: attempt.remainingMs,
  };
}

/** Returns null when the signal has aborted: unless the execution has ended, another dispatcher recovers the run. */
export async function submit(
  slots: Pick<Slots, 'called'>,
  route: Route,
  attempt: Attempt,
  input: PreparedInput,
  firstCall: FirstCall,
  signal: AbortSignal,
  stream: Stream | null = null,
): Promise<Progress | null> {
  const { definition, provider } = route;
  const submission = toSubmission(route, attempt, input);
  // A stream that broke off is not recovered: a second call would show its beginning again.
  const progress = stream
    ? await provider.submit({ ...submission, sink: stream.sink }, AbortSignal.any([signal, stream.stop]))
    : await callProvider(provider, submission, firstCall, signal);
  // Some providers go on when their stream is closed.
  if (stream?.stop.aborted) void cancelUnconfirmed(route, attempt).catch(() => {});
  if (signal.aborted) {
    if (signal.reason === 'ended elsewhere') await cancelUnconfirmed(route, attempt);
    return null;
  }
  const usualMs = definition.timeout_s * 1000;
  // What we stopped says nothing about the provider.
  if (!stream?.stop.aborted) slots.called(attempt, progress, { givenMs: attempt.remainingMs, usualMs });
  return progress;
}

/** A new run is submitted. One that was taken over is recovered: it may have been submitted before. */
export type FirstCall = 'submit' | 'recover';

/** A provider that may have the run, but refuses to say so, is queried again for most of a minute. */
const defaultPausesMs: readonly number[] = [1000, 2000, 4000, 8000, 15_000, 15_000];

/** When the result of a submit is unknown, the run is recovered, never submitted again. */
export async function callProvider(
  provider: Provider,
  submission: Submission,
  firstCall: FirstCall,
  signal: AbortSignal,
  pausesMs = defaultPausesMs,
): Promise<Progress> {
  if (firstCall === 'recover') return await recover(provider, submission, signal, pausesMs);
  const progress = await provider.submit(submission, signal);
  if (progress.state !== 'unknown' || signal.aborted) return progress;
  const recovered = await recover(provider, submission, signal, pausesMs);
  // The first error says more about the cause: a time-out, a reset.
  if (recovered.state === 'unknown') return progress;
  return recovered.state === 'refused' && progress.isBusy ? { ...recovered, isBusy: true } : recovered;
}

/** Queries a refused run under the same token for as long as the provider may have it: a new token could run it twice. */
async function recover(
  provider: Provider,
  submission: Submission,
  signal: AbortSignal,
  pausesMs: readonly number[],
): Promise<Progress> {
  const deadlineMs = performance.now() + submission.timeoutMs;
  let progress = await provider.recover(submission, signal);
  for (const pause of pausesMs) {
    // A busy provider can stay so for long; its attempt waits without a lease.
    if (!mayHaveRun(progress) || progress.isBusy) return progress;
    const pauseMs = Math.max(progress.retryAfterMs ?? 0, pause);
    if (performance.now() + pauseMs > deadlineMs) break;
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return progress;
    progress = await provider.recover(submission, signal);
  }
  return mayHaveRun(progress) && !progress.isBusy
    ? { state: 'unknown', outcome: progress.outcome }
    : progress;
}

function mayHaveRun(progress: Progress): progress is Extract<Progress, { state: 'refused' }> {
  return progress.state === 'refused' && progress.mayHaveRun === true;
}

export const cancelTimeoutMs = 10_000;
const findTimeoutMs = 60_000;

/** Cancels a run whose handle the provider may not have returned yet. */
export async function cancelUnconfirmed(route: Route, attempt: Attempt): Promise<void> {
  const { provider } = route;
  const submission = toSubmission(route, attempt);
  const handle =
    provider.handleFor(submission) ??
    (await provider.find?.(submission, AbortSignal.timeout(findTimeoutMs))) ??
    null;
  if (handle) await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
}
