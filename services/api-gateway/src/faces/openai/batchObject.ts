import { type Batch, batchFileId } from '@holdfast/domain/batch';

const seconds = (time: Date | null) => time && Math.floor(time.getTime() / 1000);

/** A batch that waits for balance is in progress: it goes on after a top-up. */
function statusOf({ status, endsAs, inputErrors }: Batch): string {
  if (inputErrors !== null) return 'failed';
  if (status === 'open') return 'validating';
  if (status === 'running' || status === 'paused') return 'in_progress';
  if (status !== 'finishing') return status;
  return endsAs === 'cancelled' ? 'cancelling' : 'finalizing';
}

/** As OpenAI's clients know it. Its files can be read while it runs. */
export function batchObject(batch: Batch) {
  const { id, face, inputErrors, endedAt, metadata } = batch;
  const status = statusOf(batch);
  const failed = batch.failed + batch.expired + batch.cancelled;
  const isRefused = inputErrors !== null;
  return {
    id,
    object: 'batch',
    endpoint: face?.endpoint ?? null,
    model: batch.model,
    input_file_id: face?.inputFileId ?? null,
    completion_window: '24h',
    status,
    errors: inputErrors && { object: 'list', data: inputErrors },
    output_file_id: batch.completed > 0 ? batchFileId(id, 'output') : null,
    error_file_id: failed > 0 && !isRefused ? batchFileId(id, 'error') : null,
    created_at: seconds(batch.createdAt),
    in_progress_at: seconds(batch.sealedAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: null,
    completed_at: status === 'completed' ? seconds(endedAt) : null,
    failed_at: isRefused ? seconds(endedAt) : null,
    expired_at: status === 'expired' ? seconds(endedAt) : null,
    cancelling_at: null,
    cancelled_at: status === 'cancelled' ? seconds(endedAt) : null,
    request_counts: isRefused
      ? { total: 0, completed: 0, failed: 0 }
      : { total: batch.total, completed: batch.completed, failed },
    metadata,
  };
}
