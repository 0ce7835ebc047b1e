/** Spec, "Events", and `execution.expired` beside them: expiry is an ending that clients must hear of. */
export const eventTypes = [
  'execution.started',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'execution.expired',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Those that end an execution: what its `webhook_url` receives. */
export const terminalEventTypes = eventTypes.filter((type) => type !== 'execution.started');

/** What is told of an endpoint, to the other endpoints that ask for it. */
export const endpointEventTypes = ['endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered'] as const;

/** What an endpoint may ask for besides single types: all of a kind. */
export const eventTypePatterns = ['execution.*', 'endpoint.*'] as const;

/** What an endpoint's `events` may hold. */
export const subscribableEvents = [...eventTypes, ...endpointEventTypes, ...eventTypePatterns] as const;

const subscribableTypes = [...eventTypes, ...endpointEventTypes] as const;

/** Whether an endpoint's `events` ask for a type. Spec, "Events" 1: an empty list is all of executions. */
export function isSubscribedTo(events: readonly string[], type: (typeof subscribableTypes)[number]): boolean {
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return events.length === 0 ? kind === 'execution.*' : events.includes(type) || events.includes(kind);
}

/** The types that an endpoint's `events`, or a filter, come to. */
export const subscribedTypes = (events: readonly string[]) =>
  subscribableTypes.filter((type) => isSubscribedTo(events, type));
