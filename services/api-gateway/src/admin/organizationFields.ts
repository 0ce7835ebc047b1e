import { overagePolicies } from '@holdfast/domain/overage';
import { z } from 'zod';

const mostAtOnce = 1_000_000;

export const organizationName = z.string().trim().min(1).max(200);

export const maxConcurrencyField = z
  .int()
  .min(1)
  .max(mostAtOnce)
  .nullable()
  .describe('Executions that run at once; null: as many as the setting ORGANIZATION_MAX_CONCURRENCY says');

export const overageField = z
  .enum(overagePolicies)
  .nullable()
  .describe('A cost above the hold: `charge` in full, or `cap` at what is available; null: as OVERAGE says');

export const spendLimitOverageField = z
  .enum(overagePolicies)
  .nullable()
  .describe(
    'A cost that passes a spend limit: `charge` in full, or `cap` at what the limit leaves; null: as SPEND_LIMIT_OVERAGE says',
  );
