import type { TrustedHttp, TrustedResult } from '@holdfast/egress/trusted';
import { z } from 'zod';
import type { Handle, Telling } from '../interface.ts';
import { tellingOfLogs } from '../progress.ts';
import { type Prediction, readPrediction } from './prediction.ts';

/** What a container says of a run that it was sent. */
export type Found =
  /** It is at it. */
  | { kind: 'running'; telling: Telling; pauseMs: number }
  /** It never had it, or has forgotten it: it does at its end. */
  | { kind: 'absent' }
  /** A server that remembers what has ended: the sandbox of the version before. */
  | { kind: 'ended'; prediction: Prediction }
  /** No process listens at its address. */
  | { kind: 'down' }
  | { kind: 'unknown'; result: TrustedResult };

const queryTimeoutMs = 10_000;
/** Between two questions: their answers show how far the run is. */
export const questionEveryMs = 5000;
/** An answer repeats the input. One that holds whole files is asked for less often. */
const usualChars = 262_144;
const longestPauseMs = 60_000;

/**
 * Asks about a run by a PUT of its id whose input is no object: a run under way is shown and goes on, and no other run can
 * begin by it. Cog has no GET.
 */
export async function askAbout(
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
  // With a schema of its input a container refuses what does not fit it; a busy one refuses before it looks.
  if (result.status === 422 || result.status === 409) return { kind: 'absent' };
  const prediction = result.status < 300 ? readPrediction(result.json) : null;
  if (prediction?.id !== externalId) return { kind: 'unknown', result };
  const { status, logs } = prediction;
  if (status === 'failed') return { kind: 'absent' };
  if (status !== 'starting' && status !== 'processing') return { kind: 'ended', prediction };
  const share = Math.ceil(result.bodyText.length / usualChars);
  return {
    kind: 'running',
    telling: tellingOfLogs(logs),
    pauseMs: Math.min(questionEveryMs * share, longestPauseMs),
  };
}

const answer = z.object({
  status: z.string(),
  setup: z.object({ started_at: z.string().nullish(), logs: z.unknown() }).nullish(),
  user_healthcheck_error: z.string().nullish(),
});

/** What a Cog container says of itself. */
export type Health = {
  status: string;
  /** Whether it takes no runs until it is restarted. */
  isDead: boolean;
  /** What it says went wrong; empty: nothing. */
  reason: string;
  /** When its process began, in ms since 1970 by its own clock. Null: it does not say. */
  startedAtMs: number | null;
};

/**
 * With its worker dead a container goes on to answer 409 to every run, as if it were busy. Cog 0.23 says `UNHEALTHY` then,
 * and says it of a model whose own health check fails.
 */
const deadStatuses: readonly string[] = ['SETUP_FAILED', 'DEFUNCT', 'UNHEALTHY'];

const healthTimeoutMs = 5000;
const longestReason = 500;

/** Asks the container below `path`; null where it does not answer as Cog does. */
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
  const said = answer.safeParse(json).data;
  if (said === undefined) return null;
  const { status, setup, user_healthcheck_error: error } = said;
  const startedAtMs = Date.parse(setup?.started_at ?? '');
  const isSetupFailed = status === 'SETUP_FAILED' && typeof setup?.logs === 'string';
  // The last lines of what the setup has logged say why it failed.
  const reason = error ?? (isSetupFailed ? String(setup.logs).trim().slice(-longestReason) : '');
  return {
    status,
    isDead: deadStatuses.includes(status),
    reason: reason.slice(0, longestReason),
    startedAtMs: Number.isNaN(startedAtMs) ? null : startedAtMs,
  };
}
