import { reasonOf } from '@holdfast/kit/within';
import type { Context } from '../command.ts';
import { isInContainer } from '../config.ts';
import { shownSeconds } from '../output/times.ts';

/** `warning`: works now, but needs attention. `skipped`: can't be checked from here. */
export type State = 'ok' | 'warning' | 'error' | 'skipped';

/** The result of a check, and how to fix it. */
export type Finding = {
  state: State;
  check: string;
  found: string;
  fix?: string;
  /** Where it isn't the check's own. */
  runbook?: string;
};

/** Checks one thing; an error that it throws is a finding of its own. */
export type Check = {
  check: string;
  fix: string;
  /** The page in docs/operate/alerts, without `.md`; `doctor#section` is a section of doctor.md. */
  runbook: string;
  run(context: Context): Promise<Finding[]>;
};

const skewWarningMs = 2000;
const skewErrorMs = 30_000;

/** The difference between a server's clock and this machine's. */
export function clockFinding(
  check: string,
  { timeMs, askedMs }: { timeMs: number; askedMs: { from: number; to: number } },
): Finding {
  const skewMs = Math.max(0, askedMs.from - timeMs, timeMs - askedMs.to);
  const found = `${shownSeconds(skewMs / 1000)} apart from this machine's`;
  if (skewMs < skewWarningMs) return { state: 'ok', check, found };
  const fix = 'set the clocks of all machines by NTP: signatures and signed URLs are valid for minutes';
  return { state: skewMs < skewErrorMs ? 'warning' : 'error', check, found, fix, runbook: 'doctor#clocks' };
}

const responseWithinMs = 10_000;

/** @throws the reason when there is no response within 10 s */
export async function fetchWithin(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(responseWithinMs), redirect: 'manual' });
  } catch (error) {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** An origin that can't be reached. In a container `localhost` is the container, so that nothing is known then. */
export function unreachable(check: string, origin: string, error: unknown, fix: string): Finding {
  const isOwnName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
  if (isOwnName && isInContainer()) {
    const found = `${origin} is this container's name for itself: try it on the host`;
    return { state: 'skipped', check, found };
  }
  return { state: 'error', check, found: `${origin} cannot be reached from here: ${reasonOf(error)}`, fix };
}
