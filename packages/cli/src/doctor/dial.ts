import { reasonOf } from '@holdfast/kit/reason';
import type { Finding } from './finding.ts';

const answerWithinMs = 10_000;

/** @throws the reason when nobody answers within 10 s */
export async function fetchWithin(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(answerWithinMs), redirect: 'manual' });
  } catch (error) {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** That clients could not reach an origin. A name of the machine that it is used on leads nowhere in a container: no fault. */
export function unreached(check: string, origin: string, error: unknown, mend: string): Finding {
  const isOwnName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
  const found = `${origin} is not reached from here: ${reasonOf(error)}`;
  return { state: isOwnName ? 'warn' : 'fail', check, found, mend };
}
