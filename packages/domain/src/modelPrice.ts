import { z } from 'zod';

const amount = z
  .string('must be a decimal in quotes, such as "0.04"')
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal in quotes, such as "0.04"')
  .describe('Decimal in US dollars.');

const row = z.strictObject({
  when: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe('Values of input properties for which this row applies. Default: it always applies.'),
  price: amount,
});

export type PriceRow = z.infer<typeof row>;

export function appliesTo(
  { when }: Pick<PriceRow, 'when'>,
  input: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(when).every(([name, value]) => input[name] === value);
}

const price = z
  .union([amount, z.array(row).min(1).max(500)], 'must be a decimal in quotes, such as "0.04", or a table')
  .describe('Decimal in US dollars, or a table: the first row whose `when` fits the input applies.');

/** An amount, or a table of amounts that depend on the input. */
export type Price = z.infer<typeof price>;

const inputName = z.string().min(1).max(200);

const perCharacter = z.strictObject({
  input: inputName.describe('Input property that contains the text.'),
  price,
});

const perInputFile = z.strictObject({
  input: inputName.describe('Input property that contains the file, or a list of files.'),
  price,
  default: z.number().nonnegative().describe('Used for each file that can not be measured.'),
});

const perUnit = z.strictObject({
  input: inputName.describe('Input property that contains the number.'),
  price,
  default: z
    .number()
    .nonnegative()
    .optional()
    .describe("Used if the input does not have the property. Default: the property's `default`."),
});

export const prices = z
  .strictObject({
    per_run: price.optional(),
    per_second: price
      .optional()
      .describe('Per second of the videos and audio in the output, else of the time that the run took.'),
    per_image: price.optional(),
    per_megapixel: price.optional().describe('Per million pixels of the images and videos in the output.'),
    per_input_token: price.optional(),
    per_output_token: price.optional(),
    per_character: perCharacter.optional().describe('Per character of a text of the input.'),
    per_input_second: perInputFile.optional().describe('Per second of audio or video in the input.'),
    per_input_megapixel: perInputFile
      .optional()
      .describe('Per million pixels of the images and videos in the input.'),
    per_unit: z
      .union([perUnit, z.array(perUnit).min(1).max(20)])
      .optional()
      .describe('Times a number of the input, such as its steps; a list for several numbers.'),
    batch: z
      .string('must be a decimal in quotes, such as "0.5"')
      .regex(/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/, 'must be a decimal from "0" to "1" in quotes, such as "0.5"')
      .optional()
      .describe('What an item of a batch costs, as a part of the price. Default: all of it.'),
    minimum: amount.optional().describe('The least that a completed run costs.'),
    cost_from_provider: z
      .boolean()
      .optional()
      .describe(
        'True: a run costs what the provider reports (`usage.cost`); if it reports nothing, the prices apply.',
      ),
  })
  .refine(
    (given) => Object.keys(given).some((name) => name.startsWith('per_')),
    'must name at least one price',
  )
  .meta({ id: 'prices' });

export type Prices = z.infer<typeof prices>;

export const missingUsage = z
  .enum(['free', 'estimate'])
  .default('estimate')
  .describe(
    'What a priced quantity counts as that a run neither reports nor shows, or that is reported as 0: nothing, or what was estimated for this input. The operator is warned.',
  );

const fallback = z.number().nonnegative().describe('Used if the input does not have the property.');

const count = z.union([
  z.number().nonnegative(),
  z.strictObject({
    input: z.string().min(1).describe('Input property that contains the number.'),
    default: fallback,
  }),
]);

const seconds = z.union([
  z.number().nonnegative(),
  z.strictObject({
    input: z
      .string()
      .min(1)
      .describe('Input property that contains the number, or an audio or video file that is as long.'),
    default: fallback,
  }),
]);

const megapixels = z.union([
  z.number().nonnegative(),
  z.strictObject({
    width: z.string().min(1).optional().describe('Input property that contains the width in pixels.'),
    height: z.string().min(1).optional().describe('Input property that contains the height in pixels.'),
    size: z.string().min(1).optional().describe('Input property that contains both, such as "1024x768".'),
    input: z
      .string()
      .min(1)
      .optional()
      .describe('Input property that contains an image or video of the same size.'),
    default: fallback,
  }),
]);

export const estimate = z.strictObject({
  seconds: seconds.optional().describe('Default 0.'),
  images: count.optional().describe('Default 1.'),
  megapixels: megapixels.optional().describe('Megapixels of one image. Default 1.'),
  input_tokens: count.optional().describe("Default: a quarter of the input's characters."),
  output_tokens: count.optional().describe('Default: the same number as `input_tokens`.'),
});

export type Estimate = z.infer<typeof estimate>;
