import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';

/** A provider that may have the run already, but refuses to say so, is asked again for most of a minute. */
const pausesMs: readonly number[] = [1000, 2000, 4000, 8000, 15_000, 15_000];

/** How the provider is first spoken to: a new run is submitted; one taken over is asked about, never sent blindly. */
export type Opening = 'submit' | 'recover';

/** Submits (or recovers), and asks what became of an unknown: a provider that restarts has lost nobody's run. */
export async function converse(
  provider: Provider,
  submission: Submission,
  opening: Opening,
  signal: AbortSignal,
  pauses = pausesMs,
): Promise<Progress> {
  if (opening === 'recover') return await recover(provider, submission, signal, pauses);
  const progress = await provider.submit(submission, signal);
  if (progress.state !== 'unknown' || signal.aborted) return progress;
  const recovered = await recover(provider, submission, signal, pauses);
  // The first answer knows more about what went wrong: a time-out, a reset.
  if (recovered.state === 'unknown') return progress;
  return recovered.state === 'refused' && progress.isBusy ? { ...recovered, isBusy: true } : recovered;
}

/** What `refused` would leave open is asked again under the same token: another one might make a second run. */
async function recover(
  provider: Provider,
  submission: Submission,
  signal: AbortSignal,
  pauses: readonly number[],
): Promise<Progress> {
  const deadlineMs = performance.now() + submission.timeoutMs;
  let progress = await provider.recover(submission, signal);
  for (const pause of pauses) {
    // Who is busy may be so for long: to wait for that is not for here.
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
