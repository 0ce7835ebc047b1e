import { counter, gauge, type Registry } from '@holdfast/kit/metrics';

export type LedgerMetrics = ReturnType<typeof ledgerMetrics>;

export function ledgerMetrics(registry: Registry) {
  return {
    endings: counter(registry, 'executions_ended_total', 'Executions ended by the ledger', ['status']),
    writtenOff: counter(
      registry,
      'written_off_amount_total',
      'What executions cost beyond what was charged, by what capped the charge: balance or spend_limit',
      ['reason'],
    ),
    breaches: gauge(
      registry,
      'ledger_breaches',
      'Rows that break an invariant of the ledger, at the last audit',
      ['invariant'],
    ),
    auditedAtS: gauge(
      registry,
      'ledger_audited_timestamp_seconds',
      'When the last audit of the ledger ended, by any instance; 0 before the first',
    ),
    partitionsAhead: gauge(
      registry,
      'partitions_ahead_months',
      'Months after this one whose partitions are there; at 0 creates will fail when it ends',
    ),
    oldestPartitionS: gauge(
      registry,
      'partitions_oldest_timestamp_seconds',
      'Beginning of the oldest month whose executions are kept',
    ),
  };
}
