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
