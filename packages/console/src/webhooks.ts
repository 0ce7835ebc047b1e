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

type Health = Pick<Schemas['WebhookEndpoint'], 'is_active' | 'failing_since'>;

export function stateOf({ is_active: isActive, failing_since: failingSince }: Health): string {
  if (isActive) return failingSince === null ? 'active' : 'failing';
  return failingSince === null ? 'inactive' : 'deactivated';
}
