import type { Execution } from '@holdfast/domain/execution';

/** The columns of an execution as `Execution` names them; `alias` is the table's in the statement. */
export function executionColumns(alias: string): string {
  return Object.entries(columns)
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');
}

const columns: Record<keyof Execution, string> = {
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
  erasedAt: 'erased_at',
};
