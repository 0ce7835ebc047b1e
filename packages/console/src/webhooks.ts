import type { Schemas } from './api.ts';

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

/** One call recovers only so many: `recover` is called until nothing is left. */
export async function recoverAll(recover: () => Promise<Schemas['Recovered']>): Promise<void> {
  for (let isMore = true; isMore; ) ({ has_more: isMore } = await recover());
}

type Health = Pick<Schemas['WebhookEndpoint'], 'is_active' | 'failing_since'>;

export function stateOf({ is_active: isActive, failing_since: failingSince }: Health): string {
  if (isActive) return failingSince === null ? 'active' : 'failing';
  return failingSince === null ? 'inactive' : 'deactivated';
}
