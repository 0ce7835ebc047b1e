import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Handle, RunProgress } from '../interface.ts';
import { progressOfLogs } from '../progress.ts';
import { readPrediction } from './prediction.ts';

export type Found =
  | { kind: 'running'; withProgress: RunProgress; pauseMs: number }
  /** It never had the run, or the run has ended. */
  | { kind: 'absent' }
  | { kind: 'down' }
  | { kind: 'unknown'; result: TrustedResult };

const queryTimeoutMs = 10_000;
export const pollEveryMs = 5000;
/** A response repeats the input: runs with inline files are polled less often. */
const smallResponseChars = 262_144;
const maxPauseMs = 60_000;

/** Queries a run by a PUT of its id with an invalid input, which cannot start a run. Cog has no GET. */
export async function queryRun(
  http: TrustedHttp,
  { path, externalId }: Handle,
  signal: AbortSignal,
): Promise<Found> {
  const result = await http.request('PUT', `${path}/predictions/${externalId}`, {
    json: { input: [] },
    timeoutMs: queryTimeoutMs,
    signal,
  });
  if (!result.ok) return result.code === 'ECONNREFUSED' ? { kind: 'down' } : { kind: 'unknown', result };
  // With a schema a container refuses the input; a busy one refuses before it looks.
  if (result.status === 422 || result.status === 409) return { kind: 'absent' };
  const prediction = result.status < 300 ? readPrediction(result.json) : null;
  if (prediction?.id !== externalId) return { kind: 'unknown', result };
  const { status, logs } = prediction;
  if (status !== 'starting' && status !== 'processing') return { kind: 'absent' };
  const share = Math.ceil(result.bodyText.length / smallResponseChars);
  return {
    kind: 'running',
    withProgress: progressOfLogs(logs),
    pauseMs: Math.min(pollEveryMs * share, maxPauseMs),
  };
}

const healthResponse = z.object({
  status: z.string(),
  setup: z.object({ started_at: z.string().nullish(), logs: z.unknown() }).nullish(),
  user_healthcheck_error: z.string().nullish(),
});

export type Health = {
  status: string;
  isDead: boolean;
  /** Empty when it reports no error. */
  reason: string;
  /** Milliseconds since 1970 by the container's clock; null when not reported. */
  startedAtMs: number | null;
};

/** Such a container still returns 409, as if busy. Cog 0.23 is also `UNHEALTHY` when the model's own health check fails. */
const deadStatuses: readonly string[] = ['SETUP_FAILED', 'DEFUNCT', 'UNHEALTHY'];

const healthTimeoutMs = 5000;
const maxReasonLength = 500;

/** Null when the response is not Cog's. */
export async function readHealth(
  http: TrustedHttp,
  path: string,
  signal?: AbortSignal,
): Promise<Health | null> {
  const result = await http.request('GET', `${path}/health-check`, {
    timeoutMs: healthTimeoutMs,
    ...(signal && { signal }),
  });
  return result.ok && result.status < 300 ? healthOf(result.json) : null;
}

export function healthOf(json: unknown): Health | null {
  const said = healthResponse.safeParse(json).data;
  if (said === undefined) return null;
  const { status, setup, user_healthcheck_error: error } = said;
  const startedAtMs = Date.parse(setup?.started_at ?? '');
  const isSetupFailed = status === 'SETUP_FAILED' && typeof setup?.logs === 'string';
  const reason = error ?? (isSetupFailed ? String(setup.logs).trim().slice(-maxReasonLength) : '');
  return {
    status,
    isDead: deadStatuses.includes(status),
    reason: reason.slice(0, maxReasonLength),
    startedAtMs: Number.isNaN(startedAtMs) ? null : startedAtMs,
  };
}
