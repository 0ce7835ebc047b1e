import { limits } from '@holdfast/domain/limits';
import { priorities } from '@holdfast/domain/priority';
import { z } from 'zod';
import { jsonObject } from './jsonObject.ts';

/** Spec, "Execution create request body", and the design's `timeout_seconds`. */
export const createBody = z
  .strictObject({
    model: z.string().min(1).max(64).meta({ description: 'Model slug', example: 'sandbox-image' }),
    input: jsonObject('Parameters of the model. Files are `file_` references', { prompt: 'a lighthouse' }),
    webhook_url: z
      .string()
      .max(limits.urlLength)
      .optional()
      .meta({ description: 'Is sent the ending of this execution', example: 'https://example.com/hooks' }),
    metadata: jsonObject('Anything; comes back in the record. At most 16 KiB of JSON', { order: 'A-17' })
      .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= limits.metadataBytes, {
        message: `must not exceed ${limits.metadataBytes} bytes of JSON`,
        params: { code: 'OUT_OF_RANGE' },
      })
      .optional(),
    priority: z.enum(priorities).optional().meta({
      description: 'Which of your executions begin first when some have to wait; `normal` unless given',
      example: 'normal',
    }),
    timeout_seconds: z
      .int()
      .min(limits.minTimeoutS)
      .max(limits.maxTimeoutS)
      .optional()
      .meta({ description: "Seconds until it expires; the model's timeout unless given", example: 300 }),
  })
  .meta({ id: 'CreateExecution' });

/** What an estimate is made from. */
export const estimateBody = createBody.pick({ model: true, input: true }).meta({ id: 'EstimateExecution' });

export type CreateBody = z.infer<typeof createBody>;
