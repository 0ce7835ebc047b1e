import { counter, type Registry } from '@holdfast/kit/metrics';

export function ledgerMetrics(registry: Registry) {
  return {
    endings: counter(registry, 'executions_ended_total', 'Executions ended by the ledger', ['status']),
  };
}
