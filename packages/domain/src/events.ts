import { hash } from 'node:crypto';
import { bodyInDialect, type DialectEvent, isNamedIn } from './endpointDialects.ts';
import { type Execution, type StatusRecord, statusRecord } from './execution.ts';
import { limits } from './limits.ts';
import { type ExecutionStatus, isTerminal } from './statuses.ts';

/** The types of events about executions: contract 8.1. */
export const eventTypes = [
  'execution.started',
  'execution.completed',
  'execution.failed',
  'execution.cancelled',
  'execution.expired',
] as const;
export type EventType = (typeof eventTypes)[number];

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

export const subscribableTypes = [...eventTypes, ...endpointEventTypes, ...batchEventTypes] as const;

export type SubscribableType = (typeof subscribableTypes)[number];

export const subscribableEvents = [...subscribableTypes, ...eventTypePatterns] as const;

type Subscription = { events: readonly string[]; dialect: string };

/** Contract 8.2: an empty list means all types of executions. A dialect leaves out the types that it has no name for. */
export function isSubscribedTo({ events, dialect }: Subscription, type: SubscribableType): boolean {
  if (!isNamedIn(dialect, type)) return false;
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return events.length === 0 ? kind === 'execution.*' : events.includes(type) || events.includes(kind);
}

export const subscribedTypes = (subscription: Subscription) =>
  subscribableTypes.filter((type) => isSubscribedTo(subscription, type));

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

/** What is delivered of an event. `body`: the event in full, as fan-out fixed it. */
type Delivered = Omit<DialectEvent, 'data'> & {
  organizationId: string;
  body: string;
  isThin: boolean;
  /** Null: it goes to the execution's own `webhook_url`. */
  endpointDialect: string | null;
};

/** The body of a delivery: the same bytes on every attempt. */
export function deliveryBody({ body, isThin, endpointDialect, ...event }: Delivered): string {
  if (endpointDialect !== null && endpointDialect !== 'holdfast') {
    const { data } = JSON.parse(body) as Pick<DialectEvent, 'data'>;
    const translated = bodyInDialect(endpointDialect, { ...event, data });
    if (translated !== null) return translated;
  }
  const type = eventTypes.find((known) => known === event.eventType);
  // An event about an endpoint or a batch is small anyway.
  if (!isThin || type === undefined || event.executionId === null) return body;
  const { eventId: id, eventCreatedAt: createdAt, organizationId, executionId } = event;
  return thinEventBody({ id, type, organizationId, executionId, createdAt });
}

export const statusAfter: Record<EventType, ExecutionStatus> = {
  'execution.started': 'PROCESSING',
  'execution.completed': 'COMPLETED',
  'execution.failed': 'FAILED',
  'execution.cancelled': 'CANCELLED',
  'execution.expired': 'EXPIRED',
};

export const terminalEventTypes = eventTypes.filter((type) => isTerminal(statusAfter[type]));

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
