import { z } from 'zod';

export const replicateOptions = z.strictObject({
  deployment: z
    .boolean()
    .optional()
    .describe('True: `model` is the owner/name of a deployment, which determines the version.'),
  version: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The version that is run, where `model` does not name it. Official models have none to choose.',
    ),
});
