import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import type { z } from 'zod';

export const ledgerConfig = {
  ...baseConfig,
  ...tracingConfig,
  SETTLE_CONCURRENCY: positiveInt()
    .default(256)
    .describe('Number of settlement jobs that this process works on at once'),
  BATCH_MAX_OPEN: positiveInt()
    .max(100_000)
    .default(1000)
    .describe('Executions of a batch that may be open at once; the other items wait without a hold'),
  AUDIT_INTERVAL_S: positiveInt()
    .max(604_800)
    .default(3600)
    .describe('Seconds between audits of the ledger; one of the processes runs each audit'),
  RETENTION_DAYS: positiveInt()
    .min(30)
    .max(36_500)
    .optional()
    .describe(
      'Days for which executions are kept, with their events and output files; default: forever. Months that are entirely older are dropped; the journal is kept. Deliveries are dropped earlier (DELIVERY_RETENTION_DAYS)',
    ),
  DELIVERY_RETENTION_DAYS: positiveInt()
    .min(30)
    .max(36_500)
    .default(30)
    .describe(
      'Days for which the log of webhook deliveries is kept, with attempts and responses; months that are entirely older are dropped',
    ),
};

export type LedgerConfig = z.infer<z.ZodObject<typeof ledgerConfig>>;

export const readConfig = (): LedgerConfig => parseConfig(ledgerConfig, process.env);
