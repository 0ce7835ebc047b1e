import type { SubscribableType } from '@holdfast/domain/events';
import { exampleExecution } from '../../executions/records.ts';
import { exampleId } from '../../http/fields.ts';

/** `about`: the field with the id of its subject. */
type ExampleEvent = { about: Record<string, string>; data: Record<string, unknown> };

function ofExecution(changes: object): ExampleEvent {
  const { result: _result, usage: _usage, latency_ms: _latency, ...open } = exampleExecution;
  return { about: { execution_id: exampleExecution.id }, data: { ...open, ...changes } };
}

function ofEndpoint(is_active: boolean, failure_count: number): ExampleEvent {
  const id = exampleId('wh');
  const last_error = failure_count > 0 ? 'HTTP 500' : null;
  const url = 'https://example.com/hooks/holdfast';
  return { about: { endpoint_id: id }, data: { id, url, is_active, failure_count, last_error } };
}

/** The last item of a thousand decides. `reason`: why it is paused. */
function ofBatch(status: string, last: string, reason: string | null = null): ExampleEvent {
  const id = exampleId('bat');
  const none = { waiting: 0, running: 0, completed: 999, failed: 0, cancelled: 0, expired: 0 };
  const counts = { total: 1000, ...none, [last]: 1 };
  const data = { id, status, reason, counts, cost: '39.96', metadata: { order: 'A-17' } };
  return { about: { batch_id: id }, data };
}

/** One event of each type: the reference shows it, and a test event of this type has its data. */
export const exampleEvents: Readonly<Record<SubscribableType, ExampleEvent>> = {
  'execution.started': ofExecution({ status: 'PROCESSING', progress: null, completed_at: null, cost: null }),
  'execution.completed': ofExecution(exampleExecution),
  'execution.failed': ofExecution({
    status: 'FAILED',
    cost: null,
    error: {
      code: 'GENERATION_FAILED',
      message: 'The provider failed to produce an output.',
      retryable: true,
    },
  }),
  'execution.cancelled': ofExecution({ status: 'CANCELLED', cost: null }),
  'execution.expired': ofExecution({
    status: 'EXPIRED',
    cost: null,
    error: { code: 'GENERATION_TIMEOUT', message: 'There was no result in time.', retryable: true },
  }),
  'endpoint.failing': ofEndpoint(true, 4),
  'endpoint.deactivated': ofEndpoint(false, 10),
  'endpoint.recovered': ofEndpoint(true, 0),
  'batch.completed': ofBatch('completed', 'failed'),
  'batch.paused': ofBatch('paused', 'waiting', 'max_cost'),
  'batch.cancelled': ofBatch('cancelled', 'cancelled'),
  'batch.expired': ofBatch('expired', 'expired'),
};
