import type { Execution } from '@holdfast/domain/execution';
import { falFailure } from '@holdfast/domain/falErrors';
import { type ExecutionStatus, isTerminal } from '@holdfast/domain/statuses';
import { falPrefix } from './target.ts';

type QueueStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED';

/** Clients know no other words: how a request has ended is its result. */
const statuses: Record<ExecutionStatus, QueueStatus> = {
  PENDING: 'IN_QUEUE',
  PROCESSING: 'IN_PROGRESS',
  AWAITING_WEBHOOK: 'IN_PROGRESS',
  COMPLETED: 'COMPLETED',
  FAILED: 'COMPLETED',
  EXPIRED: 'COMPLETED',
  CANCELLED: 'COMPLETED',
};

/** Absolute, for Python's client goes on with these as they are. `app`: they have its first two words, as at fal. */
export function urlsOf(publicUrl: string, app: string, id: string) {
  const [first = '', second = '', third] = app.split('/');
  const isNamespace = third !== undefined && ['workflows', 'comfy'].includes(first);
  const named = [first, second, ...(isNamespace ? [third] : [])].join('/');
  const url = `${publicUrl}${falPrefix}queue/${named}/requests/${id}`;
  return {
    request_id: id,
    gateway_request_id: id,
    response_url: url,
    status_url: `${url}/status`,
    cancel_url: `${url}/cancel`,
  };
}

/** `logs` and `queue_position` are always there: Python's client fails without. */
export function statusOf(execution: Execution, urls: ReturnType<typeof urlsOf>, hasLogs: boolean) {
  const { status, queuePosition, startedAt, completedAt } = execution;
  const shown = statuses[status];
  const failure = falFailure(execution);
  const inferenceMs = startedAt && completedAt && completedAt.getTime() - startedAt.getTime();
  return {
    status: shown,
    ...urls,
    queue_position: shown === 'IN_QUEUE' ? (queuePosition ?? 0) : null,
    logs: hasLogs ? logsOf(execution) : [],
    ...(isTerminal(status) && {
      metrics: inferenceMs === null ? {} : { inference_time: inferenceMs / 1000 },
      ...(failure !== null && { error: failure.error, error_type: failure.error_type }),
    }),
  };
}

/** The lines of the log. When each was written is not known: they have the time at which the run started. */
export function logsOf({ logs, startedAt, createdAt }: Execution) {
  const timestamp = (startedAt ?? createdAt).toISOString();
  const lines = (logs ?? '').split(/\r\n|\n|\r/).filter((line) => line !== '');
  return lines.map((message) => ({ message, timestamp, level: 'INFO', source: 'USER', labels: {} }));
}
