/** Spec, "Events", and `execution.expired`. */
export const eventTypes = [
  'execution.started',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'execution.expired',
] as const;
export type EventType = (typeof eventTypes)[number];

export const terminalEventTypes = eventTypes.filter((type) => type !== 'execution.started');

/** Events about one endpoint, for the organization's other endpoints. */
export const endpointEventTypes = ['endpoint.failing', 'endpoint.deactivated', 'endpoint.recovered'] as const;

export const eventTypePatterns = ['execution.*', 'endpoint.*'] as const;

export const subscribableEvents = [...eventTypes, ...endpointEventTypes, ...eventTypePatterns] as const;

const subscribableTypes = [...eventTypes, ...endpointEventTypes] as const;

/** Spec, "Events" 1: an empty list means all types of executions. */
export function isSubscribedTo(events: readonly string[], type: (typeof subscribableTypes)[number]): boolean {
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return events.length === 0 ? kind === 'execution.*' : events.includes(type) || events.includes(kind);
}

export const subscribedTypes = (events: readonly string[]) =>
  subscribableTypes.filter((type) => isSubscribedTo(events, type));
