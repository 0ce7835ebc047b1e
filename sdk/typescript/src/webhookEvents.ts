import type { components } from './generated/api.ts';
import type { Execution } from './types.ts';

type Envelope<Type extends string> = {
  /** The same in every attempt: ignore ids that you have already processed. */
  id: string;
  type: Type;
  event_type: Type;
  timestamp: string;
  version: string;
  organization_id: string;
};

/** What endpoints with `payload: "thin"` receive, and all endpoints if the event is too large: read the execution. */
export type ExecutionReference<Status extends string> = { id: string; status: Status; model?: undefined };

type Ended<Status extends string, Fields = unknown> = Omit<Execution, 'status'> & { status: Status } & Fields;

type ExecutionEventOf<Type extends string, Status extends string, Fields = unknown> = Envelope<Type> & {
  execution_id: string;
  truncated?: true;
  data: Ended<Status, Fields> | ExecutionReference<Status>;
};

type Failure = { error: NonNullable<Execution['error']> };
type Success = { usage: NonNullable<Execution['usage']>; latency_ms: number; cost: string };

export type EndpointEvent = Envelope<'endpoint.failing' | 'endpoint.deactivated' | 'endpoint.recovered'> & {
  endpoint_id: string;
  data: components['schemas']['WebhookEndpointState'];
};

export type BatchEvent = Envelope<
  'batch.completed' | 'batch.paused' | 'batch.cancelled' | 'batch.expired'
> & {
  batch_id: string;
  data: components['schemas']['BatchState'];
};

/** What `POST /v1/webhooks/endpoints/{id}/test` sends. */
export type TestEvent = Envelope<'webhook.test'> & { data: Record<string, unknown> };

/**
 * An event, told apart by `type`. Later versions of the service may send other types: ignore those in the `default` of a
 * `switch`.
 */
export type WebhookEvent =
  | ExecutionEventOf<'execution.started', 'PROCESSING'>
  | ExecutionEventOf<'execution.completed', 'COMPLETED', Success>
  | ExecutionEventOf<'execution.failed', 'FAILED', Failure>
  | ExecutionEventOf<'execution.cancelled', 'CANCELLED'>
  | ExecutionEventOf<'execution.expired', 'EXPIRED', Failure>
  | EndpointEvent
  | BatchEvent
  | TestEvent;
