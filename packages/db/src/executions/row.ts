import type { Execution } from '@holdfast/domain/execution';
import { priorities } from '@holdfast/domain/priority';

/** The columns of an execution as `Execution` names them, but for its log; `alias` is the table's in the statement. */
export function executionColumns(alias: string): string {
  return `${shortColumns(alias)}, NULL::text AS logs`;
}

/** With its log: for one alone, for it is long. */
export function executionColumnsWithLogs(alias: string): string {
  return `${shortColumns(alias)}, ${alias}.logs`;
}

function shortColumns(alias: string): string {
  const priority = `('{${priorities.join(',')}}'::text[])[${alias}.priority + 1] AS priority`;
  const others = Object.entries(plain).map(([property, column]) => `${alias}.${column} AS "${property}"`);
  return [...others, priority].join(', ');
}

const plain: Record<Exclude<keyof Execution, 'priority' | 'logs'>, string> = {
  id: 'id',
  organizationId: 'organization_id',
  model: 'model',
  status: 'status',
  metadata: 'metadata',
  webhookUrl: 'webhook_url',
  holdAmount: 'hold_amount',
  estimatedCost: 'estimated_cost',
  cost: 'cost',
  output: 'output',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  latencyMs: 'latency_ms',
  errorCode: 'error_code',
  errorMessage: 'error_message',
  createdAt: 'created_at',
  startedAt: 'started_at',
  completedAt: 'completed_at',
  expiresAt: 'expires_at',
  progress: 'progress',
  queuePosition: 'queue_position',
  erasedAt: 'erased_at',
};
