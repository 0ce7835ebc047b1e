import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';

/** How often a provider that refuses is asked again before its refusal is the outcome. */
const maxRefusals = 5;

/** How the provider is first spoken to: a new run is submitted; one taken over is asked about, never sent blindly. */
export type Opening = 'submit' | 'recover';

/** Submits (or recovers), and asks what became of an unknown: a provider that restarts has lost nobody's run. */
export async function converse(
  provider: Provider,
  submission: Submission,
  opening: Opening,
  signal: AbortSignal,
): Promise<Progress> {
  const deadlineMs = performance.now() + submission.timeoutMs;
  const ask = async (how: Opening) =>
    await insist(provider, submission, await provider[how](submission, signal), deadlineMs, signal);
  const progress = await ask(opening);
  if (progress.state !== 'unknown' || signal.aborted) return progress;
  const recovered = await ask('recover');
  // The first answer knows more about what went wrong: a time-out, a reset.
  return recovered.state === 'unknown' ? progress : recovered;
}

/** Sends it again while the provider refuses: what was refused was certainly not accepted. */
async function insist(
  provider: Provider,
  submission: Submission,
  first: Progress,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Progress> {
  let progress = first;
  for (let refusals = 1; progress.state === 'refused' && refusals < maxRefusals; refusals++) {
    if (progress.retryAfterMs === null) return progress;
    if (performance.now() + progress.retryAfterMs > deadlineMs) return progress;
    await sleep(progress.retryAfterMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return progress;
    progress = await provider.submit(submission, signal);
  }
  return progress;
}
