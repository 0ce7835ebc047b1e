import { z } from 'zod';

const mostAtOnce = 1_000_000;

export const organizationName = z.string().trim().min(1).max(200);

export const maxConcurrencyField = z
  .int()
  .min(1)
  .max(mostAtOnce)
  .nullable()
  .describe('Executions that run at once; null: as many as the setting ORGANIZATION_MAX_CONCURRENCY says');
