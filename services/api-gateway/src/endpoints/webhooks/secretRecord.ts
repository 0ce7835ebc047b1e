import { z } from 'zod';

export const WebhookSecret = z
  .object({
    secret: z.string().meta({ example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' }),
  })
  .meta({ id: 'WebhookSecret' });
