import type { ExecutionErrorCode } from './errors.ts';
import type { Money } from './money.ts';
import type { ExecutionStatus } from './statuses.ts';

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
  latencyMs: number | null;
  errorCode: ExecutionErrorCode | null;
  errorMessage: string | null;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  expiresAt: Date;
  priority: Priority;
  /** As the provider reports: 0 to 1, place in its queue, the last 64 KiB of log; null: not reported. */
  progress: number | null;
  queuePosition: number | null;
  logs: string | null;
  /** From then on input, output, metadata and `webhookUrl` are gone. */
  erasedAt: Date | null;
};

export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const defaultPriority: Priority = 'normal';

/** As stored: lower ranks start first. */
export function priorityRank(priority: Priority): number {
  return priorities.indexOf(priority);
}
