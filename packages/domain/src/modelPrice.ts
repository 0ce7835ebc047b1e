import { z } from 'zod';

const price = z
  .string('must be a decimal in quotes, such as "0.04"')
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal in quotes, such as "0.04"')
  .describe('Decimal in US dollars.');

export const prices = z
  .strictObject({
    per_run: price.optional(),
    per_second: price.optional(),
    per_image: price.optional(),
    per_megapixel: price.optional().describe('Per million pixels of the images and videos in the output.'),
    per_input_token: price.optional(),
    per_output_token: price.optional(),
    cost_from_provider: z
      .boolean()
      .optional()
      .describe(
        'True: a run costs what the provider reports (`usage.cost`); if it reports nothing, the prices apply.',
      ),
  })
  .refine(
    (given) => Object.values(given).some((one) => typeof one === 'string'),
    'must name at least one price',
  );

const count = z.union([
  z.number().nonnegative(),
  z.strictObject({
    input: z.string().min(1).describe('Input property that contains the number.'),
    default: z.number().nonnegative().describe('Used if the input does not have the property.'),
  }),
]);

const megapixels = z.union([
  z.number().nonnegative(),
  z.strictObject({
    width: z.string().min(1).optional().describe('Input property that contains the width in pixels.'),
    height: z.string().min(1).optional().describe('Input property that contains the height in pixels.'),
    size: z.string().min(1).optional().describe('Input property that contains both, such as "1024x768".'),
    default: z.number().nonnegative().describe('Used if the input does not have the property.'),
  }),
]);

export const estimate = z.strictObject({
  seconds: count.optional().describe('Default 0.'),
  images: count.optional().describe('Default 1.'),
  megapixels: megapixels.optional().describe('Megapixels of one image. Default 1.'),
  input_tokens: count.optional().describe("Default: a quarter of the input's characters."),
  output_tokens: count.optional().describe('Default: the same number as `input_tokens`.'),
});
