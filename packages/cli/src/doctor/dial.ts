const answerWithinMs = 10_000;

/** @throws the reason when nobody answers within 10 s */
export async function fetchWithin(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(answerWithinMs), redirect: 'manual' });
  } catch (error) {
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** Whether a URL names the machine that it is used on: in a container it leads nowhere, and that is no fault. */
export function isOwnName(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
