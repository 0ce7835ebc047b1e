import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle, Progress, Provider, RunProgress, Submission } from '@holdfast/providers/interface';

/** How often a submission is tried while the provider refuses it. */
const maxRefusals = 3;
/** The longest pause between polls, as the operator watches. */
const maxPauseMs = 5000;
const cancelTimeoutMs = 10_000;

/** The provider's result, or that we stopped the run. */
export type RunEnd =
  | Exclude<Progress, { state: 'running' }>
  | { state: 'stopped'; reason: 'interrupted' | 'timeout'; wasCancelled: boolean };

/** Submits once and polls to the end, reporting progress. When `interrupted` aborts or time is up, the run is cancelled there. */
export async function runOnce(
  provider: Provider,
  submission: Submission,
  interrupted: AbortSignal,
  report: (line: string) => void,
): Promise<RunEnd> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(submission.timeoutMs)]);
  let handle: Handle | null = null;
  const reportProgress = progressReporter(report);
  let progress = await submit(provider, submission, signal, report);
  while (progress.state === 'running' && !signal.aborted) {
    if (handle === null) report(`accepted as ${progress.handle.externalId}`);
    handle = progress.handle;
    reportProgress(progress);
    await sleep(Math.min(progress.pollAfterMs, maxPauseMs), undefined, { signal }).catch(() => {});
    if (!signal.aborted) progress = await provider.poll(submission, handle, signal);
  }
  if (progress.state === 'ended') reportProgress(progress);
  if (progress.state !== 'running' && !signal.aborted) return progress;
  return await stop(provider, handle ?? provider.handleFor(submission), interrupted);
}

async function submit(
  provider: Provider,
  submission: Submission,
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<Progress> {
  report('submitted');
  let progress = await provider.submit(submission, signal);
  for (let refusals = 1; progress.state === 'refused' && refusals < maxRefusals; refusals += 1) {
    if (progress.retryAfterMs === null || signal.aborted) return progress;
    report(
      `refused for now (${progress.outcome.raw ?? progress.outcome.message}): retrying in ${progress.retryAfterMs} ms`,
    );
    await sleep(progress.retryAfterMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) progress = await provider.submit(submission, signal);
  }
  if (progress.state !== 'unknown' || signal.aborted) return progress;
  report('the response was lost: looking for the run');
  const recovered = await provider.recover(submission, signal);
  return recovered.state === 'unknown' ? progress : recovered;
}

async function stop(provider: Provider, handle: Handle | null, interrupted: AbortSignal): Promise<RunEnd> {
  if (handle !== null) await provider.cancel(handle, AbortSignal.timeout(cancelTimeoutMs));
  const reason = interrupted.aborted ? 'interrupted' : 'timeout';
  return { state: 'stopped', reason, wasCancelled: handle !== null };
}

/** Reports what has changed: the place in the queue, the progress, new lines of the log. */
function progressReporter(report: (line: string) => void): (progress: RunProgress) => void {
  let state = '';
  let logged = '';
  return ({ progress, queuePosition, logs }) => {
    const parts = [
      ...(queuePosition === undefined ? [] : [`place ${queuePosition + 1} in the provider's queue`]),
      ...(progress === undefined ? [] : [`${Math.round(progress * 100)} %`]),
    ];
    const now = parts.length > 0 ? `running: ${parts.join(', ')}` : '';
    if (now !== '' && now !== state) report(now);
    state = now;
    if (logs === undefined) return;
    // The provider may have dropped the beginning of its log.
    const fresh = logs.startsWith(logged) ? logs.slice(logged.length) : logs;
    logged = logs;
    for (const line of fresh.split('\n')) if (line.trim() !== '') report(`  | ${line}`);
  };
}
