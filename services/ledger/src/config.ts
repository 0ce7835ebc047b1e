import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { tracingConfig } from '@holdfast/kit/tracing/provider';
import type { z } from 'zod';

export const ledgerConfig = {
  ...baseConfig,
  ...tracingConfig,
  SETTLE_CONCURRENCY: positiveInt()
    .default(256)
    .describe('Settlements taken from the queue at once by this process'),
  AUDIT_INTERVAL_S: positiveInt()
    .max(604_800)
    .default(3600)
    .describe('Seconds between audits of every invariant of the ledger, by whichever process'),
  RETENTION_DAYS: positiveInt()
    .min(30)
    .max(36_500)
    .optional()
    .describe(
      'Days that executions are kept, with their events, deliveries and output files; months that lie wholly before are dropped, the journal of money stays. For ever unless set; deliveries go sooner (DELIVERY_RETENTION_DAYS)',
    ),
  DELIVERY_RETENTION_DAYS: positiveInt()
    .min(30)
    .max(36_500)
    .default(30)
    .describe(
      'Days that the log of webhook deliveries is kept, with their attempts and what was answered; months that lie wholly before are dropped',
    ),
};

export type LedgerConfig = z.infer<z.ZodObject<typeof ledgerConfig>>;

export const readConfig = (): LedgerConfig => parseConfig(ledgerConfig, process.env);
