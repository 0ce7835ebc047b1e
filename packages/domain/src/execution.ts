import { type ExecutionErrorCode, executionErrors } from './errors.ts';
import type { CancelPolicy } from './modelDefinition.ts';
import { formatMoney, type Money } from './money.ts';
import type { Billed } from './outcome.ts';
import { type ExecutionStatus, isTerminal } from './statuses.ts';

export type Execution = {
  id: string;
  organizationId: string;
  model: string;
  status: ExecutionStatus;
  metadata: Record<string, unknown> | null;
  webhookUrl: string | null;
  holdAmount: Money;
  estimatedCost: Money;
  cost: Money | null;
  output: Record<string, unknown> | null;
  inputTokens: number | null;
  outputTokens: number | null;
  billed: Billed | null;
  latencyMs: number | null;
  errorCode: ExecutionErrorCode | null;
  errorMessage: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  expiresAt: Date;
  /** How long it may run once it has started: until then `expiresAt` limits its start; null: `expiresAt` limits both. */
  runTimeoutS: number | null;
  priority: Priority;
  /** As the provider reports: 0 to 1, place in its queue, the last 64 KiB of log; null: not reported. */
  progress: number | null;
  queuePosition: number | null;
  logs: string | null;
  /** What a cancel costs after output was shown; null: the output is not streamed. */
  onCancel: CancelPolicy | null;
  /** Why the output ended: `stop`, `length`, `budget`; null: not reported. */
  finishReason: string | null;
  /** What was shown of a stream that did not complete; read with the execution alone. */
  partialOutput?: string | null;
  /** The item that it runs; null: it was created by itself. */
  batchId: string | null;
  customId: string | null;
  /** From then on input, output, metadata and `webhookUrl` are gone. */
  erasedAt: Date | null;
};

/** What shows how an execution has ended. */
export type EndedExecution = Pick<
  Execution,
  | 'id'
  | 'model'
  | 'status'
  | 'metadata'
  | 'output'
  | 'inputTokens'
  | 'outputTokens'
  | 'billed'
  | 'finishReason'
  | 'errorCode'
  | 'errorMessage'
  | 'createdAt'
  | 'completedAt'
  | 'erasedAt'
>;

/** What a client may ask for. */
export const requestPriorities = ['high', 'normal', 'low'] as const;
export type RequestPriority = (typeof requestPriorities)[number];
/** `batch`: the items of batches, which start when nothing else may. */
export const priorities = [...requestPriorities, 'batch'] as const;
export type Priority = (typeof priorities)[number];

export const batchRank = priorities.indexOf('batch');

export const defaultPriority: Priority = 'normal';

/** As stored: lower ranks start first. */
export function priorityRank(priority: Priority): number {
  return priorities.indexOf(priority);
}

/** The response of a create: contract 2.2. */
export type CreateRecord = {
  id: string;
  status: ExecutionStatus;
  model: string;
  hold_amount: string;
  estimated_cost: string;
  expires_at: string;
  created_at: string;
};

export type UsageRecord = {
  usage: { input_tokens: number; output_tokens: number } & Billed;
  latency_ms: number;
};

export type StatusRecord = CreateRecord & {
  mode: 'ASYNC';
  priority: Priority;
  progress: number | null;
  queue_position: number | null;
  metadata: Record<string, unknown> | null;
  webhook_url: string | null;
  started_at: string | null;
  completed_at: string | null;
  cost: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
  erased_at: string | null;
  batch_id?: string;
  custom_id?: string;
  /** Once COMPLETED, unless erased. */
  result?: Record<string, unknown>;
  finish_reason?: string;
  partial_output?: string;
} & Partial<UsageRecord>;

type Created = Pick<
  Execution,
  'id' | 'status' | 'model' | 'holdAmount' | 'estimatedCost' | 'expiresAt' | 'createdAt'
>;

export function createRecord(execution: Created): CreateRecord {
  return {
    id: execution.id,
    status: execution.status,
    model: execution.model,
    hold_amount: formatMoney(execution.holdAmount),
    estimated_cost: formatMoney(execution.estimatedCost),
    expires_at: execution.expiresAt.toISOString(),
    created_at: execution.createdAt.toISOString(),
  };
}

export function statusRecord(execution: Execution): StatusRecord {
  return {
    ...createRecord(execution),
    mode: 'ASYNC',
    priority: execution.priority,
    ...progressRecord(execution),
    metadata: execution.metadata,
    webhook_url: execution.webhookUrl,
    started_at: execution.startedAt?.toISOString() ?? null,
    completed_at: execution.completedAt?.toISOString() ?? null,
    cost: execution.cost === null ? null : formatMoney(execution.cost),
    error: executionError(execution),
    erased_at: execution.erasedAt?.toISOString() ?? null,
    ...(execution.status === 'COMPLETED' && completedFields(execution)),
    ...streamFields(execution),
    ...(execution.batchId !== null && { batch_id: execution.batchId, custom_id: execution.customId ?? '' }),
  };
}

function completedFields(execution: Execution): Pick<StatusRecord, 'result'> & UsageRecord {
  return {
    ...(execution.erasedAt === null && { result: execution.output ?? {} }),
    ...usageRecord(execution),
  };
}

/** A charged cancel has its usage, too. */
function streamFields(
  execution: Execution,
): Pick<StatusRecord, 'usage' | 'finish_reason' | 'partial_output'> {
  const { status, cost, finishReason, partialOutput } = execution;
  return {
    ...(status === 'CANCELLED' && cost !== null && { usage: usageRecord(execution).usage }),
    ...(finishReason !== null && { finish_reason: finishReason }),
    ...(typeof partialOutput === 'string' && { partial_output: partialOutput }),
  };
}

export function progressRecord({
  status,
  progress,
  queuePosition,
}: Pick<Execution, 'status' | 'progress' | 'queuePosition'>): {
  progress: number | null;
  queue_position: number | null;
} {
  return {
    progress: status === 'COMPLETED' ? 1 : progress,
    queue_position: isTerminal(status) ? null : queuePosition,
  };
}

/** The result: contract 3.2. */
export function resultRecord(execution: Execution) {
  return {
    execution_id: execution.id,
    status: execution.status,
    output: execution.output ?? {},
    cost: formatMoney(execution.cost ?? '0'),
    ...usageRecord(execution),
  };
}

function usageRecord({ inputTokens, outputTokens, billed, latencyMs }: Execution): UsageRecord {
  return { usage: usageOf({ inputTokens, outputTokens, billed }), latency_ms: latencyMs ?? 0 };
}

export function usageOf({
  inputTokens,
  outputTokens,
  billed,
}: Pick<Execution, 'inputTokens' | 'outputTokens' | 'billed'>): UsageRecord['usage'] {
  return { input_tokens: inputTokens ?? 0, output_tokens: outputTokens ?? 0, ...billed };
}

export function executionError(
  execution: Pick<Execution, 'errorCode' | 'errorMessage'>,
): StatusRecord['error'] {
  if (execution.errorCode === null) return null;
  const { retryable } = executionErrors[execution.errorCode];
  return { code: execution.errorCode, message: execution.errorMessage ?? '', retryable };
}
