import { reasonOf } from '@holdfast/kit/within';
import { isInContainer } from '../config.ts';
import type { Finding } from './finding.ts';

const answerWithinMs = 10_000;

/** @throws the reason when there is no response within 10 s */
export async function fetchWithin(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(answerWithinMs), redirect: 'manual' });
  } catch (error) {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** An origin that was not reached. The host's name for itself means the container in a container: nothing is known then. */
export function unreached(check: string, origin: string, error: unknown, fix: string): Finding {
  const isOwnName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
  if (isOwnName && isInContainer()) {
    const found = `${origin} is this container's name for itself: try it on the host`;
    return { state: 'skipped', check, found };
  }
  return { state: 'error', check, found: `${origin} is not reached from here: ${reasonOf(error)}`, fix };
}
