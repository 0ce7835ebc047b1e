import { z } from 'zod';

// How a model's file says what a run costs.

const price = z
  .string('must be a decimal in quotes, such as "0.04"')
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal in quotes, such as "0.04"')
  .describe('Decimal in the currency of the balances.');

export const prices = z
  .strictObject({
    per_run: price.optional(),
    per_second: price.optional(),
    per_image: price.optional(),
    per_megapixel: price
      .optional()
      .describe('Of all pictures and videos that come out; a million pixels each.'),
    per_input_token: price.optional(),
    per_output_token: price.optional(),
    cost_from_provider: z
      .boolean()
      .optional()
      .describe('The cost that the provider reports (`usage.cost`) wins over the prices when present.'),
  })
  .refine(
    (given) => Object.values(given).some((one) => typeof one === 'string'),
    'must name at least one price',
  );

const count = z.union([
  z.number().nonnegative(),
  z.strictObject({
    input: z.string().min(1).describe('Property of the input that holds the number.'),
    default: z.number().nonnegative().describe('When the input does not say.'),
  }),
]);

const megapixels = z.union([
  z.number().nonnegative(),
  z.strictObject({
    width: z.string().min(1).optional().describe('Property of the input that holds the width in pixels.'),
    height: z.string().min(1).optional().describe('Property of the input that holds the height in pixels.'),
    size: z.string().min(1).optional().describe('Property of the input such as "1024x768".'),
    default: z.number().nonnegative().describe('When the input does not say.'),
  }),
]);

export const estimate = z.strictObject({
  seconds: count.optional().describe('Default 0.'),
  images: count.optional().describe('Default 1.'),
  megapixels: megapixels.optional().describe('Of one image. Default 1.'),
  input_tokens: count.optional().describe("Default: a quarter of the input's characters."),
  output_tokens: count.optional().describe('Default: as many as `input_tokens`.'),
});
