import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle, Progress, Provider, Submission } from '@holdfast/providers/interface';
import { createTelling } from './telling.ts';

/** A provider that refuses for a while is asked again so often. */
const maxRefusals = 3;
/** Somebody waits: a run is asked about at least so often. */
const longestPauseMs = 5000;
const cancelTimeoutMs = 10_000;

/** How it went: what a provider says at the end, or that we stopped it. */
export type RunEnd =
  | Exclude<Progress, { state: 'running' }>
  | { state: 'stopped'; reason: 'interrupted' | 'timeout'; wasCancelled: boolean };

/** Submits once, polls to the end, and tells what happens. When `interrupted` aborts, or time is up, the run is cancelled there. */
export async function runOnce(
  provider: Provider,
  submission: Submission,
  interrupted: AbortSignal,
  tell: (line: string) => void,
): Promise<RunEnd> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(submission.timeoutMs)]);
  let handle: Handle | null = null;
  const telling = createTelling(tell);
  let progress = await submitted(provider, submission, signal, tell);
  while (progress.state === 'running' && !signal.aborted) {
    if (handle === null) tell(`accepted as ${progress.handle.externalId}`);
    handle = progress.handle;
    telling(progress);
    await sleep(Math.min(progress.pollAfterMs, longestPauseMs), undefined, { signal }).catch(() => {});
    if (!signal.aborted) progress = await provider.poll(submission, handle, signal);
  }
  if (progress.state === 'ended') telling(progress);
  if (progress.state !== 'running' && !signal.aborted) return progress;
  return await stopped(provider, handle ?? provider.handleFor(submission), interrupted);
}

async function submitted(
  provider: Provider,
  submission: Submission,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Progress> {
  tell('submitted');
  let progress = await provider.submit(submission, signal);
  for (let refusals = 1; progress.state === 'refused' && refusals < maxRefusals; refusals += 1) {
    if (progress.retryAfterMs === null || signal.aborted) return progress;
    tell(
      `refused for now (${progress.outcome.raw ?? progress.outcome.message}): asking again in ${progress.retryAfterMs} ms`,
    );
    await sleep(progress.retryAfterMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) progress = await provider.submit(submission, signal);
  }
  if (progress.state !== 'unknown' || signal.aborted) return progress;
  tell('the answer was lost: asking what became of it');
  const recovered = await provider.recover(submission, signal);
  return recovered.state === 'unknown' ? progress : recovered;
}

async function stopped(provider: Provider, handle: Handle | null, interrupted: AbortSignal): Promise<RunEnd> {
  if (handle !== null) await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
  const reason = interrupted.aborted ? 'interrupted' : 'timeout';
  return { state: 'stopped', reason, wasCancelled: handle !== null };
}
