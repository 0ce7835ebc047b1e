import { z } from 'zod';
import { openai } from './modelOpenai.ts';
import { estimate, missingUsage, prices } from './modelPrice.ts';
import { errorRule, output, showToClients, usage } from './modelResponse.ts';
import { provider } from './modelRoute.ts';

export const modelSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be lower case: letters, digits, . _ -');

export const streamKinds = ['text', 'json', 'audio', 'image'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** What a cancel costs after output was shown. */
export const cancelPolicies = ['release', 'charge'] as const;
export type CancelPolicy = (typeof cancelPolicies)[number];

export const defaultBytesPerToken = 4;

/** As other services name models: `owner/name:version`. */
const modelAlias = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/, 'must be a name such as gpt-image-1 or owner/name:version');

const runLimits = z
  .strictObject({
    concurrency: z
      .int()
      .positive()
      .optional()
      .describe('Maximum number of runs in progress at once, of all organizations.'),
    per_minute: z.int().positive().optional().describe('Maximum number of runs started per minute.'),
  })
  .describe('Limits that all dispatchers enforce together. Executions beyond them wait.');

/** A YAML file in `models/`, stored as JSON. `provider` is read as `providers`, in the order of tries. */
export const modelDefinition = z
  .strictObject({
    slug: modelSlug.describe('The name that clients use: at most 64 lower-case letters, digits and . _ -'),
    display_name: z.string().min(1).max(200).optional().describe('The name in lists of models.'),
    aliases: z
      .array(modelAlias)
      .max(20)
      .optional()
      .describe(
        'Further names of the model for clients of compatible APIs, such as those that tools have built in.',
      ),
    description: z
      .string()
      .max(4000)
      .optional()
      .describe('What the model does, for people who choose a model.'),
    active: z.boolean().default(true).describe('False: the model is not offered.'),
    provider: provider.optional().describe('The provider that runs the model.'),
    providers: z
      .array(provider)
      .min(1)
      .max(8)
      .optional()
      .describe('Instead of `provider`: several providers, in the order in which they are tried.'),
    input_schema: z
      .looseObject({ type: z.literal('object') })
      .describe(
        'JSON Schema of `input`. File inputs are string properties with `format: file`. A `default` is filled in at create, where the client gives no value. `x-order`, a number, orders the optional properties in forms.',
      ),
    price: prices.describe('What a completed run costs: the sum of all prices given here.'),
    provider_price: prices
      .optional()
      .describe(
        'What a run costs you at the provider, where the provider does not report it (`usage.cost`). Operators see it beside what clients pay.',
      ),
    estimate: estimate.default({}).describe('What a run is expected to consume. Determines the hold.'),
    missing_usage: missingUsage,
    timeout_s: z.int().min(10).max(86_400).default(600).describe('Seconds until an execution expires.'),
    limits: runLimits.default({}),
    on_busy: z
      .enum(['wait', 'fallback'])
      .default('fallback')
      .describe(
        'When a provider is busy and the model has others: wait for it, or use the next one that has capacity.',
      ),
    output,
    usage: usage.optional(),
    errors: z
      .array(errorRule)
      .default([])
      .describe("Rules that map the provider's error texts to Holdfast's codes and messages."),
    show_to_clients: showToClients,
    openai: openai.optional(),
    stream: z
      .enum(streamKinds)
      .optional()
      .describe(
        'The model can show its output while it is made, to clients that create with `stream: true`: pieces of text, JSON values, audio, or partial images.',
      ),
    on_cancel: z
      .enum(cancelPolicies)
      .optional()
      .describe(
        'With `stream`, and only for executions with `stream: true`: what a cancel costs after output was shown. `release`: nothing. `charge`: what was shown, at most the hold.',
      ),
    stream_restart: z
      .boolean()
      .optional()
      .describe(
        'With `stream`: a run that breaks off after output was shown is run again from the start. Default: it fails.',
      ),
    bytes_per_token: z
      .number()
      .positive()
      .max(1000)
      .optional()
      .describe(
        `With \`stream\`: bytes of output that count as a token where the provider reports no usage. Default: ${defaultBytesPerToken}.`,
      ),
  })
  .refine(({ provider, providers }) => provider !== undefined || providers !== undefined, {
    path: ['provider'],
    message: 'must be given, or a list of `providers`',
    when: isMapping,
  })
  .refine(({ provider, providers }) => provider === undefined || providers === undefined, {
    path: ['providers'],
    message: 'and `provider` are both given: one of them is needed',
    when: isMapping,
  })
  .refine(({ stream, on_cancel }) => stream === undefined || on_cancel !== undefined, {
    path: ['on_cancel'],
    message:
      'must be given with `stream`: with `release`, a client can read nearly all of the output, cancel and pay nothing; with `charge` it pays for what was shown',
    when: isMapping,
  })
  .refine(
    ({ stream, on_cancel, stream_restart, bytes_per_token }) => {
      return (
        stream !== undefined || [on_cancel, stream_restart, bytes_per_token].every((one) => one === undefined)
      );
    },
    {
      path: ['stream'],
      message: 'must be given with `on_cancel`, `stream_restart` and `bytes_per_token`',
      when: isMapping,
    },
  )
  .transform(({ provider: only, providers = [], ...rest }) => ({
    ...rest,
    providers: only === undefined ? providers : [only],
  }));

/** Also run where a field is wrong, so that all mistakes are reported at once. */
function isMapping({ value }: { value: unknown }): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export type ModelDefinition = z.infer<typeof modelDefinition>;

export type ModelFile = z.input<typeof modelDefinition>;
