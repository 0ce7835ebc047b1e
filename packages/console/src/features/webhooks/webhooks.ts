import type { Schemas } from '../../api.ts';
import { listIn, textIn } from '../../ui/formData.ts';

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
  'batch.completed',
  'batch.paused',
  'batch.cancelled',
  'batch.expired',
] as const;

export type EventType = (typeof eventTypes)[number];

const dayMs = 86_400_000;

/**
 * Recovers what failed in the last 24 hours, and counts it. One call recovers a limited number: `recover` is called until
 * nothing is left.
 */
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

const settings = [
  'description',
  'events',
  'models',
  'payload',
  'dialect',
  'max_in_flight',
  'max_per_second',
] as const;

/** What can be changed of an endpoint. Its headers are left to the API: it never returns them. */
export type EndpointSettings = Pick<Schemas['WebhookEndpoint'], (typeof settings)[number]>;

/** The settings that the form changes from what `of` has: the rest stays as it is. */
export function settingsIn(form: FormData, of?: EndpointSettings): Partial<EndpointSettings> {
  const numberIn = (name: string) => (textIn(form, name) === '' ? null : Number(textIn(form, name)));
  const given: Record<string, unknown> = {
    description: textIn(form, 'description'),
    events: form.getAll('events').map(String),
    models: listIn(form, 'models'),
    payload: textIn(form, 'payload'),
    dialect: textIn(form, 'dialect'),
    max_in_flight: numberIn('max_in_flight') ?? undefined,
    max_per_second: numberIn('max_per_second'),
  };
  const changed = settings.filter((name) => JSON.stringify(given[name]) !== JSON.stringify(of?.[name]));
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
}
