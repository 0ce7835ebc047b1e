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
