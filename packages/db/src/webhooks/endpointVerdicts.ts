import type { AttemptRecord } from './recordAttempts.ts';

/** What a batch of attempts, in the order they ended, says of one endpoint. */
export type EndpointVerdict = {
  endpointId: string;
  succeeded: boolean;
  /** Failed, and nothing succeeded since. */
  failed: boolean;
  probeFailures: number;
  isGone: boolean;
  error: string | null;
  retryAfterS: number;
};

/**
 * One verdict per endpoint. Of requests that were already in flight when an endpoint began to fail only one counts,
 * and then its probes: a blip of seconds at high volume must not deactivate it.
 */
export function endpointVerdicts(records: AttemptRecord[]): EndpointVerdict[] {
  const verdicts = new Map<string, EndpointVerdict>();
  for (const record of records) {
    if (record.endpointId === null || !record.countsForEndpoint) continue;
    const { endpointId } = record;
    verdicts.set(endpointId, judged(verdicts.get(endpointId) ?? blank(endpointId), record));
  }
  return [...verdicts.values()];
}

function blank(endpointId: string): EndpointVerdict {
  return {
    endpointId,
    succeeded: false,
    failed: false,
    probeFailures: 0,
    isGone: false,
    error: null,
    retryAfterS: 0,
  };
}

function judged(verdict: EndpointVerdict, record: AttemptRecord): EndpointVerdict {
  if (record.ok) return { ...verdict, succeeded: true, failed: false, probeFailures: 0, retryAfterS: 0 };
  return {
    ...verdict,
    failed: true,
    probeFailures: verdict.probeFailures + (record.isProbe ? 1 : 0),
    isGone: verdict.isGone || record.isGone,
    error: record.error,
    retryAfterS: Math.max(verdict.retryAfterS, record.retryAfterS),
  };
}
