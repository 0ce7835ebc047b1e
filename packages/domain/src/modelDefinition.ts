import { z } from 'zod';
import { errorRule, output, usage } from './modelAnswers.ts';
import { estimate, prices } from './modelPrice.ts';
import { type ProviderRoute, provider } from './modelRoute.ts';

/** What clients name a model by. */
export const modelSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower case: letters, digits, . _ -');

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
