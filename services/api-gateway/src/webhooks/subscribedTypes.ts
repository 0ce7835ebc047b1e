import { endpointEventTypes, eventTypes } from '@holdfast/domain/eventTypes';

const typesOf: Readonly<Record<string, readonly string[]>> = {
  'execution.*': eventTypes,
  'endpoint.*': endpointEventTypes,
};

/** The types that an endpoint's `events`, or a filter, come to. Spec, "Events" 1: none is all of executions. */
export function subscribedTypes(events: readonly string[]): string[] {
  const asked = events.length === 0 ? ['execution.*'] : events;
  return [...new Set(asked.flatMap((one) => typesOf[one] ?? [one]))];
}
