import { limits } from '@holdfast/domain/limits';
import { webhookEgressConfig } from '@holdfast/egress/config';
import { baseConfig, parseConfig, positiveInt } from '@holdfast/kit/config';
import { encryptionKeys } from '@holdfast/kit/sealedBox';
import { tracingConfig } from '@holdfast/kit/tracing/config';
import { z } from 'zod';
import { alertConfig, alertProblems } from './alerts/config.ts';

export const webhookSenderConfig = {
  ...baseConfig,
  ...tracingConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  ...webhookEgressConfig,
  WEBHOOK_RETRY_DELAYS_S: z
    .string()
    .default('0,30,300,3600,21600')
    .transform((text) => text.split(',').map((delay) => (delay.trim() === '' ? Number.NaN : Number(delay))))
    .pipe(z.array(z.number().min(0)).min(1).max(limits.webhookAttempts))
    .describe(
      'Seconds before each attempt of a delivery, comma-separated: one number per attempt, at most 5',
    ),
  WEBHOOK_CONCURRENCY: positiveInt()
    .default(2000)
    .describe(
      'Maximum number of webhook requests of this process, open or about to be; one counts once more for each 16 KiB of its body after the first; organizations share them fairly',
    ),
  ...alertConfig,
};

export type WebhookSenderConfig = z.infer<z.ZodObject<typeof webhookSenderConfig>>;

export const readConfig = (): WebhookSenderConfig =>
  parseConfig(webhookSenderConfig, process.env, [alertProblems]);
