import { z } from 'zod';

export const replicateOptions = z.strictObject({
  version: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The version that is run, where `model` does not name it. Official models have none to choose.',
    ),
});
