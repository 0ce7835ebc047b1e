import { z } from 'zod';
import { prices } from './modelPrice.ts';
import { errorRule, pointer, usage } from './modelResponse.ts';

export const providerModes = ['sync', 'callback', 'poll'] as const;
export type ProviderMode = (typeof providerModes)[number];

export const adapters = ['openai', 'cog', 'replicate', 'fal', 'http'] as const;
export type Adapter = (typeof adapters)[number];

const inputFiles = z
  .strictObject({
    as: z
      .enum(['url', 'data_uri', 'multipart'])
      .default('url')
      .describe(
        'What the provider receives for a `file_` reference: a URL, the bytes in the JSON, or a part of a form.',
      ),
    url_lifetime_s: z
      .int()
      .min(60)
      .max(86_400)
      .default(3600)
      .describe('With `url`: seconds for which the URL works.'),
    max_bytes: z
      .int()
      .positive()
      .optional()
      .describe(
        'Maximum size of a file. A larger file skips this provider; if all refuse it, the create fails.',
      ),
  })
  .describe('How this provider receives the files of the input.');

const inputChanges = z
  .strictObject({
    rename: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe('Maps names of input properties to the names that the provider uses.'),
    set: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Properties with fixed values, which clients cannot change.'),
    omit: z.array(z.string()).default([]).describe('Properties that are not sent to the provider.'),
  })
  .describe('How the input is changed before it is sent to this provider.');

/** The only provider for runs of test keys. */
export const isSandbox = ({ connection }: { connection: string }) => connection === 'sandbox';

/** Cog cancels a run when its connection breaks, so its result is called back. */
const defaultMode = {
  cog: 'callback',
  openai: 'sync',
  replicate: 'sync',
  fal: 'sync',
  http: 'sync',
} as const satisfies Record<Adapter, ProviderMode>;

const route = z.strictObject({
  adapter: z.enum(adapters).describe('The wire protocol.'),
  connection: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be lower case: letters, digits, _')
    .describe(
      'The connection, as the environment defines it: for `name`, <NAME>_BASE_URL and <NAME>_API_KEY.',
    ),
  model: z.string().min(1).max(256).describe("The provider's name of the model."),
  weight: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(
      'With several providers: the share of executions that try this provider first. If no provider has a weight, the first one in the list is always tried first.',
    ),
  mode: z
    .enum(providerModes)
    .optional()
    .describe(
      'How Holdfast learns that a run has ended. Default: `callback` with the adapter `cog`, else `sync`.',
    ),
  mode_from_input: z
    .string()
    .min(1)
    .optional()
    .describe('Input property that may name a mode, which then replaces `mode`.'),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Adapter-specific: see the README of the adapter.'),
  input: inputChanges.optional(),
  files: inputFiles.prefault({}),
  pointer: pointer
    .optional()
    .describe("JSON pointer to the output in this provider's response. Replaces `output.pointer`."),
  usage: usage.optional().describe('Replaces the `usage` of the model.'),
  errors: z.array(errorRule).optional().describe('Replaces the `errors` of the model.'),
  provider_price: prices.optional().describe('Replaces the `provider_price` of the model.'),
});

export const provider = route
  .transform((given) => ({ ...given, mode: given.mode ?? defaultMode[given.adapter] }))
  .meta({ id: 'provider' });

export type ProviderRoute = z.infer<typeof provider>;

export function providerMode(
  { mode, mode_from_input }: Pick<ProviderRoute, 'mode' | 'mode_from_input'>,
  input: Record<string, unknown>,
): ProviderMode {
  const named = mode_from_input === undefined ? undefined : input[mode_from_input];
  return providerModes.find((one) => one === named) ?? mode;
}
