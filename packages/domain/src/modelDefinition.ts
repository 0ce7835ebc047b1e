import { z } from 'zod';
import { type ExecutionErrorCode, executionErrors } from './errorCodes.ts';

/** What clients name a model by. */
export const modelSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower case: letters, digits, . _ -');

const price = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be a decimal in quotes, such as "0.04"')
  .describe('Decimal in the currency of the balances.');

const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)+$/, 'must be a JSON pointer, such as /metrics/cost')
  .describe("JSON pointer into the provider's whole answer.");

const regex = z.string().min(1).refine(compiles, 'must be a regular expression');

/** How the end of a run reaches us: in the answer itself, by the provider's callback, or by asking. */
export const providerModes = ['sync', 'callback', 'poll'] as const;
export type ProviderMode = (typeof providerModes)[number];

const provider = z.strictObject({
  adapter: z.enum(['openai', 'cog']).describe('The wire protocol.'),
  connection: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be lower case: letters, digits, _')
    .describe('Whose server: `name` is reached at <NAME>_BASE_URL with <NAME>_API_KEY.'),
  model: z.string().min(1).max(256).describe("The provider's name of the model."),
  mode: z.enum(providerModes).default('sync').describe("How a run's end reaches us."),
  mode_from_input: z
    .string()
    .min(1)
    .optional()
    .describe('Property of the input that, when it names a mode, decides instead of `mode`.'),
  options: z.record(z.string(), z.unknown()).default({}).describe('Adapter-specific; see the adapter.'),
});

const prices = z
  .strictObject({
    per_run: price.optional(),
    per_second: price.optional(),
    per_image: price.optional(),
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
    default: z.number().nonnegative(),
  }),
]);

const estimate = z.strictObject({
  seconds: count.optional(),
  images: count.optional().describe('Default 1.'),
  input_tokens: count.optional().describe("Default: a quarter of the input's characters."),
  output_tokens: count.optional().describe('Default: as many as `input_tokens`.'),
});

const output = z
  .strictObject({
    kind: z
      .enum(['text', 'images', 'raw'])
      .describe('`{text}`, `{images: [...]}` copied into files, or the answer as it is.'),
    pointer: pointer.optional().describe("Where it is in the answer. Default: the adapter's usual place."),
  })
  .describe("How the provider's answer becomes the execution's output.");

const usage = z
  .strictObject({
    input_tokens: pointer.optional(),
    output_tokens: pointer.optional(),
    cost: pointer.optional(),
    seconds: pointer.optional(),
  })
  .describe("Where the answer says what was consumed. Default: the adapter's usual places.");

const errorRule = z.strictObject({
  match: regex.describe("Tried on the provider's error text; the first rule that gives a code decides."),
  code: z
    .enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]])
    .optional()
    .describe('Default: the named group `code` of the match, if it is one of our codes.'),
  message: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Shown to the client. Default: the named group `message` of the match, else a sentence for the code.',
    ),
});

/** One model of the catalogue: a YAML file in `models/`, kept as JSON in the table `models`. */
export const modelDefinition = z.strictObject({
  slug: modelSlug,
  display_name: z.string().min(1).max(200).optional(),
  description: z.string().max(4000).optional(),
  active: z.boolean().default(true).describe('False: known, but not offered.'),
  provider,
  input_schema: z
    .looseObject({ type: z.literal('object') })
    .describe('JSON Schema of `input`. File inputs are string properties with `format: file`.'),
  price: prices.describe('What a completed run costs: the sum of all that are given.'),
  estimate: estimate.default({}).describe('What a run is expected to consume; decides the hold.'),
  timeout_s: z.int().min(10).max(86_400).default(600).describe('Seconds until an execution expires.'),
  output,
  usage: usage.optional(),
  errors: z.array(errorRule).default([]),
});

export type ModelDefinition = z.infer<typeof modelDefinition>;

/** The part of a definition that turns a provider's answer into an outcome. */
export type OutcomeMapping = Pick<ModelDefinition, 'output' | 'usage' | 'errors'>;

/** The mode of one run: the input's, where the definition lets the input choose, else the model's. */
export function providerMode(definition: ModelDefinition, input: Record<string, unknown>): ProviderMode {
  const { mode, mode_from_input } = definition.provider;
  const asked = mode_from_input === undefined ? undefined : input[mode_from_input];
  return providerModes.find((one) => one === asked) ?? mode;
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, 's');
    return true;
  } catch {
    return false;
  }
}
