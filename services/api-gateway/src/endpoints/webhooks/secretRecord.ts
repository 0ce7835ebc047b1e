import { z } from 'zod';
import { exampleSecret, overlapEnd } from './secretRotation.ts';

export const WebhookSecret = z
  .object({
    secret: z.string().meta({ example: exampleSecret }),
    previous_secret_valid_until: overlapEnd,
  })
  .meta({ id: 'WebhookSecret' });
