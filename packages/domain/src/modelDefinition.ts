import { z } from 'zod';
import { type ExecutionErrorCode, executionErrors } from './errorCodes.ts';
import { limits } from './limits.ts';

/** What clients name a model by. */
export const modelSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower case: letters, digits, . _ -');

const price = z
  .string('must be a decimal in quotes, such as "0.04"')
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

/** Adapters: the wire protocols we speak. */
export const adapters = ['openai', 'cog', 'replicate', 'fal', 'http'] as const;
export type Adapter = (typeof adapters)[number];

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

const inputFiles = z
  .strictObject({
    as: z
      .enum(['url', 'data_uri', 'multipart'])
      .default('url')
      .describe(
        'What the provider takes for a `file_` reference: a URL, the bytes in the JSON, or a part of a form.',
      ),
    url_lifetime_s: z.int().min(60).max(86_400).default(3600).describe('With `url`: seconds that it works.'),
    max_bytes: z.int().positive().optional().describe('Larger files are refused at create.'),
  })
  .describe('How files of the input reach this provider.');

const inputChanges = z
  .strictObject({
    rename: z.record(z.string(), z.string().min(1)).default({}).describe('Property of ours: theirs.'),
    set: z.record(z.string(), z.unknown()).default({}).describe('Properties that clients do not choose.'),
    omit: z.array(z.string()).default([]).describe('Properties that are not sent.'),
  })
  .describe('What this provider is sent in place of the input as it is.');

const provider = z.strictObject({
  adapter: z.enum(adapters).describe('The wire protocol.'),
  connection: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be lower case: letters, digits, _')
    .describe('Whose server: `name` is reached at <NAME>_BASE_URL with <NAME>_API_KEY.'),
  model: z.string().min(1).max(256).describe("The provider's name of the model."),
  weight: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(
      'Of several providers: how often the first try is here. Without any, it is always the first one.',
    ),
  mode: z.enum(providerModes).default('sync').describe("How a run's end reaches us."),
  mode_from_input: z
    .string()
    .min(1)
    .optional()
    .describe('Property of the input that, when it names a mode, decides instead of `mode`.'),
  options: z.record(z.string(), z.unknown()).default({}).describe('Adapter-specific; see the adapter.'),
  input: inputChanges.optional(),
  files: inputFiles.prefault({}),
  pointer: pointer
    .optional()
    .describe("Where the output is in this provider's answer, instead of `output.pointer`."),
  usage: usage.optional().describe('Instead of the `usage` of the model.'),
  errors: z.array(errorRule).optional().describe('Instead of the `errors` of the model.'),
});

const prices = z
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

const estimate = z.strictObject({
  seconds: count.optional().describe('Default 0.'),
  images: count.optional().describe('Default 1.'),
  megapixels: megapixels.optional().describe('Of one image. Default 1.'),
  input_tokens: count.optional().describe("Default: a quarter of the input's characters."),
  output_tokens: count.optional().describe('Default: as many as `input_tokens`.'),
});

/** What comes out. All but `text` and `raw` are lists of files: see outputList. */
export const outputKinds = ['text', 'images', 'videos', 'audios', 'files', 'raw'] as const;
export type OutputKind = (typeof outputKinds)[number];

const output = z
  .strictObject({
    kind: z
      .enum(outputKinds)
      .describe(
        '`{text}`, a list of files such as `{images: [...]}`, or the answer as it is with its files copied.',
      ),
    pointer: pointer.optional().describe("Where it is in the answer. Default: the adapter's usual place."),
    max_files: z.int().min(1).max(100).default(100).describe('A run that makes more has failed.'),
    max_file_bytes: z
      .int()
      .min(1)
      .max(limits.maxFileBytes)
      .default(limits.maxFileBytes)
      .describe('A run that makes a larger file has failed.'),
  })
  .describe("How the provider's answer becomes the execution's output.");

const runLimits = z
  .strictObject({
    concurrency: z.int().positive().optional().describe('Runs under way at once, of all organizations.'),
    per_minute: z.int().positive().optional().describe('Runs that begin in a minute.'),
  })
  .describe('Kept by all dispatchers together; what is beyond waits.');

/**
 * One model of the catalogue: a YAML file in `models/`, kept as JSON in the table `models`. The file says `provider` or
 * `providers`; what is read has `providers`, in the order in which they are tried.
 */
export const modelDefinition = z
  .strictObject({
    slug: modelSlug.describe('What clients name it by: lower case, at most 64 of letters, digits, . _ -'),
    display_name: z.string().min(1).max(200).optional().describe('As lists of models show it.'),
    description: z.string().max(4000).optional().describe('What it does, for those who choose one.'),
    active: z.boolean().default(true).describe('False: known, but not offered.'),
    provider: provider.optional().describe('Who runs it.'),
    providers: z
      .array(provider)
      .min(1)
      .max(8)
      .optional()
      .describe('Instead of `provider`: several, in the order in which they are tried.'),
    input_schema: z
      .looseObject({ type: z.literal('object') })
      .describe('JSON Schema of `input`. File inputs are string properties with `format: file`.'),
    price: prices.describe('What a completed run costs: the sum of all that are given.'),
    estimate: estimate.default({}).describe('What a run is expected to consume; decides the hold.'),
    timeout_s: z.int().min(10).max(86_400).default(600).describe('Seconds until an execution expires.'),
    limits: runLimits.default({}),
    output,
    usage: usage.optional(),
    errors: z
      .array(errorRule)
      .default([])
      .describe("How the provider's error texts become our codes and messages."),
  })
  .refine(({ provider, providers }) => provider !== undefined || providers !== undefined, {
    path: ['provider'],
    message: 'must be given, or a list of `providers`',
  })
  .refine(({ provider, providers }) => provider === undefined || providers === undefined, {
    path: ['providers'],
    message: 'and `provider` are both given: one of them is needed',
  })
  .transform(({ provider: only, providers = [], ...rest }) => ({
    ...rest,
    providers: only === undefined ? providers : [only],
  }));

export type ModelDefinition = z.infer<typeof modelDefinition>;

/** What its file says, before defaults are filled in. */
export type ModelFile = z.input<typeof modelDefinition>;

/** One of a model's providers. */
export type ProviderRoute = ModelDefinition['providers'][number];

/** The part of a definition that turns a provider's answer into an outcome. */
export type OutcomeMapping = Pick<ModelDefinition, 'usage' | 'errors'> & {
  output: Pick<ModelDefinition['output'], 'kind' | 'pointer'>;
};

/** How this provider's answers become outcomes of the model. */
export function mappingOf(
  { output, usage, errors }: OutcomeMapping,
  route: Pick<ProviderRoute, 'pointer' | 'usage' | 'errors'>,
): OutcomeMapping {
  const itsUsage = route.usage ?? usage;
  return {
    output: { ...output, ...(route.pointer !== undefined && { pointer: route.pointer }) },
    errors: route.errors ?? errors,
    ...(itsUsage && { usage: itsUsage }),
  };
}

/** The mode of one run: the input's, where the definition lets the input choose, else the provider's. */
export function providerMode(
  { mode, mode_from_input }: Pick<ProviderRoute, 'mode' | 'mode_from_input'>,
  input: Record<string, unknown>,
): ProviderMode {
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
