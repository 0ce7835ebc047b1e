import { z } from 'zod';

/** `provider.options` of a model at a Cog container. */
export const cogOptions = z.strictObject({
  path: z
    .string()
    .optional()
    .describe("In place of the model's name in the URL; `''`: the base URL is one container."),
});
