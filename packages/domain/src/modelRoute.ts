import { z } from 'zod';
import { errorRule, pointer, usage } from './modelResponse.ts';

/** How the end of a run reaches us. */
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
  mode: z
    .enum(providerModes)
    .optional()
    .describe("How a run's end reaches us. Default: `callback` with the adapter `cog`, else `sync`."),
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

export const provider = route.transform((given) => ({
  ...given,
  mode: given.mode ?? defaultMode[given.adapter],
}));

export type ProviderRoute = z.infer<typeof provider>;

/** The input's mode, where the definition allows it; otherwise the route's. */
export function providerMode(
  { mode, mode_from_input }: Pick<ProviderRoute, 'mode' | 'mode_from_input'>,
  input: Record<string, unknown>,
): ProviderMode {
  const named = mode_from_input === undefined ? undefined : input[mode_from_input];
  return providerModes.find((one) => one === named) ?? mode;
}
