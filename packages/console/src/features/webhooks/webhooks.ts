import type { Schemas } from '../../api.ts';

export const executionEvents = [
  'execution.started',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'execution.expired',
] as const;

export const eventTypes = [
  ...executionEvents,
  'endpoint.failing',
  'endpoint.deactivated',
  'endpoint.recovered',
] as const;

const dayMs = 86_400_000;

/** Recovers what failed in the last 24 hours, and counts it. One call recovers only so many: `recover` is called until nothing is left. */
export async function recoverLastDay(
  recover: (body: { since: string }) => Promise<Schemas['Recovered']>,
): Promise<number> {
  const since = new Date(Date.now() - dayMs).toISOString();
  for (let count = 0; ; ) {
    const { redelivered, has_more: isMore } = await recover({ since });
    count += redelivered;
    if (!isMore) return count;
  }
}

type Health = Pick<Schemas['WebhookEndpoint'], 'is_active' | 'failing_since'>;

export function stateOf({ is_active: isActive, failing_since: failingSince }: Health): string {
  if (isActive) return failingSince === null ? 'active' : 'failing';
  return failingSince === null ? 'inactive' : 'deactivated';
}
