import { z } from 'zod';
import { type ExecutionErrorCode, executionErrors } from './errors.ts';
import { limits } from './limits.ts';

// How a model's file says what a provider's answer means.

export const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)+$/, 'must be a JSON pointer, such as /metrics/cost')
  .describe("JSON pointer into the provider's whole answer.");

const regex = z.string().min(1).refine(compiles, 'must be a regular expression');

/** What comes out. All but `text` and `raw` are lists of files: see outputList. */
export const outputKinds = ['text', 'images', 'videos', 'audios', 'files', 'raw'] as const;
export type OutputKind = (typeof outputKinds)[number];

export const output = z
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

export const usage = z
  .strictObject({
    input_tokens: pointer.optional(),
    output_tokens: pointer.optional(),
    cost: pointer.optional(),
    cost_header: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header, such as x-litellm-response-cost')
      .optional()
      .describe('Header of the answer that has the cost, as a decimal. Read where `cost` finds none.'),
    seconds: pointer.optional(),
  })
  .describe("Where the answer says what was consumed. Default: the adapter's usual places.");

export const errorRule = z.strictObject({
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
      'Shown to the client. Default: the named group `message` of the match, else our message for the code.',
    ),
});

/** What of a provider's own words a model may show to clients. */
export const providerTexts = ['validation', 'moderation', 'logs'] as const;
export type ProviderText = (typeof providerTexts)[number];

export const showToClients = z
  .array(z.enum(providerTexts))
  .default([])
  .describe(
    "Which of the provider's own words clients may read: messages about an invalid input (`validation`) or rejected content (`moderation`), log lines (`logs`). They may name the provider. Default: none; clients read our message for the error code.",
  );

function compiles(source: string): boolean {
  try {
    new RegExp(source, 's');
    return true;
  } catch {
    return false;
  }
}
