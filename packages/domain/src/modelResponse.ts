import { z } from 'zod';
import { type ExecutionErrorCode, executionErrors } from './errors.ts';
import { limits } from './limits.ts';
import { compilePattern, PatternError } from './pattern.ts';

export const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)+$/, 'must be a JSON pointer, such as /metrics/cost')
  .describe("JSON pointer into the provider's complete response.");

const regex = z
  .string()
  .min(1)
  .superRefine((source, { addIssue }) => {
    const problem = problemOf(source);
    if (problem !== null) addIssue(`must be a regular expression that RE2 runs: ${problem}`);
  });

/** What comes out. All but `text` and `raw` are lists of files: see outputList. */
export const outputKinds = ['text', 'images', 'videos', 'audios', 'files', 'raw'] as const;
export type OutputKind = (typeof outputKinds)[number];

export const output = z
  .strictObject({
    kind: z
      .enum(outputKinds)
      .describe(
        '`{text}`, a list of files such as `{images: [...]}`, or the unchanged response, with its files copied (`raw`).',
      ),
    pointer: pointer
      .optional()
      .describe("JSON pointer to the output in the response. Default: where the adapter's protocol puts it."),
    files: z
      .array(z.string().min(1))
      .max(20)
      .optional()
      .describe(
        'With `raw`: JSON pointers or JSONPaths of the files in the output, such as `$.images[*].url`. Default: every text that is a complete URL or a data URL is a file.',
      ),
    max_files: z.int().min(1).max(100).default(100).describe('A run that produces more files fails.'),
    max_file_bytes: z
      .int()
      .min(1)
      .max(limits.maxFileBytes)
      .default(limits.maxFileBytes)
      .describe('A run that produces a larger file fails.'),
  })
  .describe("How the provider's response becomes the execution's output.");

export const usage = z
  .strictObject({
    input_tokens: pointer.optional(),
    output_tokens: pointer.optional(),
    cost: pointer.optional(),
    cost_header: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header, such as x-litellm-response-cost')
      .optional()
      .describe('Response header that has the cost, as a decimal. Read if `cost` finds none.'),
    seconds: pointer.optional(),
    seconds_of: z
      .enum(['run', 'output'])
      .optional()
      .describe(
        'What `seconds` reports: how long the run took, or the length of the output, which gives way to the measured one. Default: `output` for `videos` and `audios`, else `run`.',
      ),
  })
  .describe(
    "Where the response reports what the run consumed. Default: where the adapter's protocol puts it.",
  );

const whenRule = z
  .strictObject({
    at: pointer,
    equals: z
      .union([z.string(), z.number(), z.boolean()])
      .default(true)
      .describe('The value that fails the run; of a list, one of its items.'),
  })
  .describe(
    'Instead of `match`: a value in the response of a successful run, such as the flag of a safety filter. The run then fails, and is not charged.',
  );

export const errorRule = z
  .strictObject({
    match: regex
      .optional()
      .describe(
        "Regular expression (RE2: no lookarounds, no backreferences), matched against the provider's error text. The first rule that gives a code applies.",
      ),
    when: whenRule.optional(),
    code: z
      .enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]])
      .optional()
      .describe("Default: the named group `code` of the match, if it is one of Holdfast's codes."),
    message: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Shown to the client. Default: the named group `message` of the match, else Holdfast's message for the code.",
      ),
  })
  .refine(({ match, when }) => (match === undefined) !== (when === undefined), {
    path: ['match'],
    error: 'must be given, or `when`, and not both',
  })
  .refine(({ when, code }) => when === undefined || code !== undefined, {
    path: ['code'],
    error: 'must be given with `when`',
  });

export const providerTexts = ['validation', 'moderation', 'logs'] as const;
export type ProviderText = (typeof providerTexts)[number];

export const showToClients = z
  .array(z.enum(providerTexts))
  .default([])
  .describe(
    "Which texts of the provider clients may read: messages about an invalid input (`validation`) or rejected content (`moderation`), log lines (`logs`). They may name the provider. Default: none; clients read Holdfast's message for the error code.",
  );

function problemOf(source: string): string | null {
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
