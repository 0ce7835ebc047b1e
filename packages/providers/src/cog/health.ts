import type { TrustedHttp } from '@holdfast/egress/trusted';
import { z } from 'zod';

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

const answerWithinMs = 5000;
const longestReason = 500;

/** Asks the container below `path`; null where it does not answer as Cog does. */
export async function readHealth(
  http: TrustedHttp,
  path: string,
  signal?: AbortSignal,
): Promise<Health | null> {
  const result = await http.request('GET', `${path}/health-check`, {
    timeoutMs: answerWithinMs,
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
