import type { SubscribableType } from './events.ts';
import type { WebhookDialect } from './webhookDialect.ts';

/** Whose webhooks the deliveries to an endpoint look like. */
export const endpointDialects = ['holdfast', 'openai'] as const;
export type EndpointDialect = (typeof endpointDialects)[number];

export type DialectEvent = {
  eventId: string;
  eventType: string;
  eventCreatedAt: Date;
  /** Null: about a batch, or a test. */
  executionId: string | null;
  /** The record of the execution or the batch; of a large one `id` and `status` alone. */
  data: Record<string, unknown>;
  /** What the API that created the execution keeps for webhooks. */
  dialect?: WebhookDialect | null;
};

type Dialect = {
  /** Its names of events. Events without one are not delivered. */
  types: Partial<Record<SubscribableType, string>>;
  bodyOf(event: DialectEvent, type: string): object;
};

/** Those of other services; a further one is an entry here and in `endpointDialects`. */
const dialects: Record<Exclude<EndpointDialect, 'holdfast'>, Dialect> = {
  openai: {
    types: {
      'execution.completed': 'response.completed',
      'execution.failed': 'response.failed',
      'execution.cancelled': 'response.cancelled',
      'execution.expired': 'response.failed',
      'batch.completed': 'batch.completed',
      'batch.cancelled': 'batch.cancelled',
      'batch.expired': 'batch.expired',
    },
    bodyOf({ eventId, eventCreatedAt, executionId, data, dialect }, type) {
      const isVideo = dialect?.name === 'openai' && dialect.operation === 'videos';
      const idOf = isVideo ? videoId : responseId;
      return {
        object: 'event',
        id: eventId,
        type: isVideo ? videoType(type) : (typeIn(data) ?? type),
        created_at: Math.floor(eventCreatedAt.getTime() / 1000),
        data: executionId === null ? aboutOther(data) : { id: idOf(executionId) },
      };
    },
  },
};

/** A video that was cancelled has failed: there is no other word for it. */
function videoType(type: string): string {
  return type === 'response.completed' ? 'video.completed' : 'video.failed';
}

/** What is cut short is incomplete, and a batch whose file was refused has failed. */
function typeIn(data: DialectEvent['data']): string | null {
  if (isCut(data['finish_reason'])) return 'response.incomplete';
  return data['reason'] === 'input_errors' ? 'batch.failed' : null;
}

/** A batch has an id, a test has none. */
function aboutOther(data: DialectEvent['data']): object {
  return 'id' in data ? { id: data['id'] } : data;
}

/** Undefined for Holdfast's own, and for one that only a newer version knows. */
const dialectOf = (name: string) =>
  Object.hasOwn(dialects, name) ? dialects[name as keyof typeof dialects] : undefined;

/** Whether a dialect has a name for events of this type. */
export function isNamedIn(name: string, type: SubscribableType): boolean {
  const dialect = dialectOf(name);
  return dialect === undefined || Object.hasOwn(dialect.types, type);
}

/**
 * The body of a delivery; it is null when that is the body of the event itself. An event without a name in the dialect, which
 * the endpoint has chosen since, is sent under its own.
 */
export function bodyInDialect(name: string, event: DialectEvent): string | null {
  const dialect = dialectOf(name);
  if (dialect === undefined) return null;
  return JSON.stringify(
    dialect.bodyOf(event, dialect.types[event.eventType as SubscribableType] ?? event.eventType),
  );
}

/** The id by which OpenAI's clients know an execution. */
export function responseId(executionId: string): string {
  return `resp_${executionId.slice('exec_'.length)}`;
}

/** The id of one that a video endpoint created. */
export function videoId(executionId: string): string {
  return `video_${executionId.slice('exec_'.length)}`;
}

/** Whether the model would have written more: OpenAI calls such a response incomplete. */
export function isCut(finishReason: unknown): boolean {
  return ['length', 'budget', 'deadline'].some((one) => one === finishReason);
}
