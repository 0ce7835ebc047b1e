import type { ApiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import type { Received, Receiver } from '@holdfast/testkit/webhookReceiver';

/** The fields of an execution record that tests read. */
export type ExecutionBody = {
  id: string;
  status: string;
  hold_amount: string;
  cost: string | null;
  error: { code: string; message: string; retryable: boolean; doc_url?: string } | null;
  result?: Record<string, unknown>;
  usage?: unknown;
  latency_ms?: number;
  logs?: string | null;
  partial_output?: string;
  finish_reason?: string | null;
  urls?: Record<string, string>;
};

const terminal = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

/** Creates an execution and returns its id. @throws if it is not accepted */
export async function create(
  api: ApiClient,
  model: string,
  input: Record<string, unknown>,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, body } = await api.post('/v1/executions', { model, input, ...fields }, headers);
  if (status !== 202) throw new Error(`not accepted: ${status} ${JSON.stringify(body)}`);
  return body['id'] as string;
}

export async function readExecution(api: ApiClient, id: string): Promise<ExecutionBody> {
  return (await api.get(`/v1/executions/${id}`)).body as ExecutionBody;
}

/** A record as events carry it: without what only status reads return. */
export function asInEvents({ logs: _logs, urls: _urls, error, ...record }: ExecutionBody): object {
  const { doc_url: _docUrl, ...reported } = error ?? {};
  return { ...record, error: error && reported };
}

/** Resolves with the record once the execution has this status. */
export function untilStatus(api: ApiClient, id: string, status: string): Promise<ExecutionBody> {
  return until(`${id} is ${status}`, async () => {
    const record = await readExecution(api, id);
    if (record.status !== status && terminal.includes(record.status))
      throw new Error(`${id} ended ${record.status} instead of ${status}: ${JSON.stringify(record.error)}`);
    return record.status === status && record;
  });
}

export type EventBody = {
  id: string;
  type: string;
  execution_id: string;
  data: ExecutionBody;
};

/** An event's body with its webhook request. */
export type ReceivedEvent = EventBody & { request: Received };

/** Every received event of an execution, in order of arrival. */
export function eventsOf(receiver: Receiver, executionId: string): ReceivedEvent[] {
  return receiver.received
    .map((request) => ({ ...(JSON.parse(request.body) as EventBody), request }))
    .filter((event) => event.execution_id === executionId);
}

/** Resolves with an execution's event of this type once it was received. */
export function untilEvent(receiver: Receiver, executionId: string, type: string): Promise<ReceivedEvent> {
  return until(`${type} of ${executionId}`, () =>
    eventsOf(receiver, executionId).find((event) => event.type === type),
  );
}
