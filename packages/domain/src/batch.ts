import type { ApiError } from './errors.ts';
import { formatMoney, type Money } from './money.ts';

/** `finishing` becomes what the batch `endsAs`, once none of its items is waiting or running. */
export const finalBatchStatuses = ['completed', 'cancelled', 'expired'] as const;
export type FinalBatchStatus = (typeof finalBatchStatuses)[number];

export const batchStatuses = ['open', 'running', 'paused', 'finishing', ...finalBatchStatuses] as const;
export type BatchStatus = (typeof batchStatuses)[number];

export const endedItemStatuses = ['completed', 'failed', 'cancelled', 'expired'] as const;
export const itemStatuses = ['waiting', 'running', ...endedItemStatuses] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** The items that a retry may run again. */
export const retryableItemStatuses = ['failed', 'cancelled', 'expired'] as const;

/** A batch resumes by itself from the first two. */
export const pauseReasons = ['insufficient_balance', 'spend_limit', 'max_cost', 'requested'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Why a batch is paused, or was cancelled: its file has lines that it cannot take. */
export const batchReasons = [...pauseReasons, 'input_errors'] as const;

/** Which events the executions of a batch have. */
export const itemEvents = ['none', 'failed', 'all'] as const;
export type ItemEvents = (typeof itemEvents)[number];

/** What may happen to a batch as a whole. No status changes except by one of these rows, or by a retry or the end of `finishing`. */
export const batchTransitions = {
  seal: { from: ['open'], to: 'running' },
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  finish: { from: ['running', 'paused'], to: 'finishing' },
  cancel: { from: ['open', 'running', 'paused', 'finishing'], to: 'finishing' },
  expire: { from: ['open', 'running', 'paused'], to: 'finishing' },
} as const satisfies Record<string, { from: readonly BatchStatus[]; to: BatchStatus }>;

export type Batch = {
  id: string;
  organizationId: string;
  apiKeyId: string;
  status: BatchStatus;
  endsAs: FinalBatchStatus | null;
  reason: PauseReason | null;
  model: string | null;
  defaults: BatchDefaults | null;
  metadata: Record<string, unknown> | null;
  webhookUrl: string | null;
  maxCost: Money | null;
  onInsufficientBalance: 'pause' | 'cancel';
  windowS: number;
  events: ItemEvents;
  reserve: boolean;
  face: BatchFace | null;
  /** Why the lines of its file could not be taken. */
  inputErrors: InputError[] | null;
  cost: Money;
  held: Money;
  reserved: Money;
  createdAt: Date;
  sealedAt: Date | null;
  expiresAt: Date;
  endedAt: Date | null;
  erasedAt: Date | null;
} & Record<'total' | ItemStatus, number>;

/** How a batch was created over another service's API: its items are the lines of a file, in that service's form. */
export type BatchFace = { name: 'openai'; endpoint: string; inputFileId: string };

/** Why an item failed without an execution: its line asked for none that could be created. */
export type ItemError = Pick<ApiError, 'code' | 'message' | 'details'>;

/** `line` null: it is about the file. */
export type InputError = { code: string; message: string; line: number | null; param: string | null };

/** What items have that do not say otherwise. */
export type BatchDefaults = {
  input?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | undefined;
  timeout_seconds?: number | undefined;
};

export type BatchFileKind = 'output' | 'error';

/** A file of a batch has the batch's own id, or that with one bit turned, as `batch_file_id` of the database computes it. */
export function batchFileId(batchId: string, kind: BatchFileKind): string {
  const uuid = batchId.slice('bat_'.length);
  return `file_${kind === 'output' ? uuid : turned(uuid)}`;
}

/** The batch of which a file may be. */
export function batchOfFile(fileId: string, kind: BatchFileKind): string {
  const uuid = fileId.slice('file_'.length);
  return `bat_${kind === 'output' ? uuid : turned(uuid)}`;
}

function turned(uuid: string): string {
  const last = Number.parseInt(uuid.slice(-1), 16) ^ 1;
  return uuid.slice(0, -1) + last.toString(16);
}

export function batchRecord(batch: Batch, nowMs = Date.now()) {
  const { id, total, waiting, running, completed, failed, cancelled, expired } = batch;
  return {
    id,
    status: batch.status,
    reason: batch.reason ?? (batch.inputErrors && ('input_errors' as const)),
    ends_as: batch.endsAs,
    model: batch.model,
    defaults: batch.defaults,
    metadata: batch.metadata,
    webhook_url: batch.webhookUrl,
    max_cost: batch.maxCost && formatMoney(batch.maxCost),
    on_insufficient_balance: batch.onInsufficientBalance,
    completion_window_s: batch.windowS,
    events: batch.events,
    reserve: batch.reserve,
    counts: { total, waiting, running, completed, failed, cancelled, expired },
    cost: formatMoney(batch.cost),
    held: formatMoney(batch.held),
    reserved: formatMoney(batch.reserved),
    output_file_id: batchFileId(id, 'output'),
    error_file_id: batchFileId(id, 'error'),
    created_at: batch.createdAt.toISOString(),
    sealed_at: batch.sealedAt?.toISOString() ?? null,
    expires_at: batch.expiresAt.toISOString(),
    ended_at: batch.endedAt?.toISOString() ?? null,
    estimated_end_at: estimatedEnd(batch, nowMs)?.toISOString() ?? null,
    erased_at: batch.erasedAt?.toISOString() ?? null,
  };
}

/** If its items go on ending as fast as they have since the seal; null: it does not run, or none has ended. */
function estimatedEnd(batch: Batch, nowMs: number): Date | null {
  const left = batch.waiting + batch.running;
  const ended = batch.total - left;
  const isRunning = batch.status === 'running' || batch.status === 'finishing';
  if (!isRunning || batch.sealedAt === null || ended === 0 || left === 0) return null;
  return new Date(nowMs + ((nowMs - batch.sealedAt.getTime()) / ended) * left);
}
