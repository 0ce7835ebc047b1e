import { hash } from 'node:crypto';
import { type Execution, type StatusRecord, statusRecord } from './execution.ts';
import { limits } from './limits.ts';
import type { ExecutionStatus } from './statuses.ts';

/** The types of events about executions: contract 8.1. */
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

/** Events about a batch, for the endpoints that name them and its `webhook_url`. */
export const batchEventTypes = [
  'batch.completed',
  'batch.paused',
  'batch.cancelled',
  'batch.expired',
] as const;

export const eventTypePatterns = ['execution.*', 'endpoint.*', 'batch.*'] as const;

const subscribableTypes = [...eventTypes, ...endpointEventTypes, ...batchEventTypes] as const;

export const subscribableEvents = [...subscribableTypes, ...eventTypePatterns] as const;

/** Contract 8.2: an empty list means all types of executions. */
export function isSubscribedTo(events: readonly string[], type: (typeof subscribableTypes)[number]): boolean {
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return events.length === 0 ? kind === 'execution.*' : events.includes(type) || events.includes(kind);
}

export const subscribedTypes = (events: readonly string[]) =>
  subscribableTypes.filter((type) => isSubscribedTo(events, type));

export type Event = {
  id: string;
  type: EventType;
  organizationId: string;
  executionId: string;
  createdAt: Date;
};

export function eventBody(event: Event, execution: Execution): string {
  return JSON.stringify({ ...envelope(event), data: eventData(event.type, execution) });
}

/** The body as signed and sent, the same on every attempt; thin when it is too large for a webhook. */
export function deliveredEventBody(event: Event, execution: Execution): string {
  const body = eventBody(event, execution);
  return Buffer.byteLength(body) > limits.webhookBodyBytes ? thinEventBody(event, true) : body;
}

export function thinEventBody(event: Event, isTruncated = false): string {
  return JSON.stringify({
    ...envelope(event),
    ...(isTruncated && { truncated: true }),
    data: { id: event.executionId, status: statusAfter[event.type] },
  });
}

export const statusAfter: Record<EventType, ExecutionStatus> = {
  'execution.started': 'PROCESSING',
  'execution.completed': 'COMPLETED',
  'execution.failed': 'FAILED',
  'execution.cancelled': 'CANCELLED',
  'execution.expired': 'EXPIRED',
};

function envelope(event: Event) {
  return {
    id: event.id,
    type: event.type,
    event_type: event.type,
    timestamp: event.createdAt.toISOString(),
    version: '1.0',
    organization_id: event.organizationId,
    execution_id: event.executionId,
  };
}

function eventData(type: EventType, execution: Execution): StatusRecord {
  return statusRecord(type === 'execution.started' ? asStarted(execution) : execution);
}

/** Describes the start, however late it is rendered. */
export function asStarted(execution: Execution): Execution {
  return {
    ...execution,
    status: 'PROCESSING',
    progress: null,
    queuePosition: null,
    cost: null,
    output: null,
    errorCode: null,
    errorMessage: null,
    completedAt: null,
  };
}

/**
 * An endpoint, or one of an organization's 64 lanes for `webhook_url`s, by a digit of the hash of their origin: clients choose
 * the origins, and a lane costs memory and a look-up per second. A slow receiver delays its own lane only.
 */
export function deliveryLane(to: { endpointId: string | null; organizationId: string; url: string }): string {
  if (to.endpointId !== null) return to.endpointId;
  const [digit] = hash('sha256', URL.parse(to.url)?.origin ?? '', 'base64url');
  return `${to.organizationId} ${digit}`;
}
