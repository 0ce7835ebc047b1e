import { isCallbackHeader } from '@holdfast/domain/callbackHeaders';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errorCodes';
import { z } from 'zod';
import { placeholdersIn } from './template.ts';

const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be a JSON pointer, such as /job/id, or "" for the whole answer')
  .describe('JSON pointer into an answer or a callback.');

const setting = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of a setting, such as TOKEN for <NAME>_TOKEN');

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

const callbackHeader = headerName.refine(
  (name) => isCallbackHeader(name.toLowerCase()),
  'must have sig, time, hmac or digest in its name: other headers of a callback are not kept',
);

/** Placeholders of every template, and those of a path that is asked for when the run has an id. */
const submitNames = ['input', 'model', 'token', 'callback_url', 'timeout_s'];
const laterNames = ['id', 'token', 'model'];

const path = (names: string[]) =>
  z
    .string()
    .regex(/^\//, 'must begin with /')
    .refine((text) => unknownNames(text, names).length === 0, {
      error: ({ input }) =>
        `knows no ${unknownNames(input, names).join(', ')}: there are ${names.join(', ')}`,
    });

const headerValue = z.union([
  z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII'),
  z.strictObject({
    from: setting.describe('The connection has it from <NAME>_<SETTING>; `API_KEY` is its key.'),
    prefix: z.string().default(''),
  }),
]);

export const headerOptions = z.record(headerName, headerValue);
export type HeaderOptions = z.infer<typeof headerOptions>;

export const cancelMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

const value = z.union([z.string(), z.number(), z.boolean()]);

const status = z.strictObject({
  at: pointer,
  done: z.array(value).min(1),
  failed: z.array(value).default([]),
  running: z.array(value).optional().describe('Default: whatever is neither done nor failed.'),
});

const usage = z.strictObject({
  input_tokens: pointer.optional(),
  output_tokens: pointer.optional(),
  cost: pointer.optional(),
  seconds: pointer.optional(),
});

const errors = z.strictObject({
  text: pointer.optional().describe('What went wrong, in the words of the server.'),
  code: pointer.optional().describe("The server's code for it."),
  codes: z
    .record(z.string(), z.enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]]))
    .default({})
    .describe('Its codes: ours.'),
});

const poll = z
  .strictObject({
    at: pointer.optional().describe('Where the answer to the submit says the URL to ask.'),
    header: headerName.optional().describe('Which header says it. Default: Location.'),
    path: path(laterNames).optional().describe('Or the path itself, with {{id}}.'),
    every_s: z.number().min(0.2).max(3600).default(2),
  })
  .describe('How a run is asked about. The URL must be of the host of the connection.');

const callback = z.strictObject({
  signature: z
    .strictObject({
      header: callbackHeader,
      encoding: z.enum(['hex', 'base64']).default('hex'),
      prefix: z.string().default('').describe('Before the signature, such as `sha256=`.'),
      timestamp_header: callbackHeader
        .optional()
        .describe('Seconds since 1970, signed as `<timestamp>.<body>`; older than 5 minutes is refused.'),
    })
    .optional()
    .describe('HMAC-SHA256 of the raw body by <NAME>_CALLBACK_SECRET. Default: the token in the URL alone.'),
});

/** `provider.options` of a model at a server of your own: its protocol in YAML. */
export const httpOptions = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).default('POST'),
  path: path(submitNames),
  headers: headerOptions.default({}),
  body: z
    .json()
    .refine((template) => unknownNames(template, submitNames).length === 0, {
      error: ({ input }) =>
        `knows no ${unknownNames(input, submitNames).join(', ')}: there are ${submitNames.join(', ')}`,
    })
    .default('{{input}}'),
  body_as: z
    .enum(['json', 'form'])
    .default('json')
    .describe('`form`: each property of the body is a part, files of `files.as: multipart` as their bytes.'),
  success: z.array(z.int().min(200).max(299)).min(1).optional().describe('Default: every 2xx.'),
  id: pointer.optional().describe("The server's name of the run."),
  output: pointer.default('').describe("Where it is unless the model's `pointer` says it."),
  usage: usage.default({}).describe("Where it is unless the model's `usage` says it."),
  errors: errors.prefault({}),
  status: status.optional(),
  poll: poll.optional(),
  callback: callback.prefault({}),
  progress: pointer.optional(),
  progress_of: z
    .number()
    .positive()
    .default(1)
    .describe('What `progress` is at the end: 1, or 100 for percent.'),
  queue_position: pointer.optional(),
  logs: pointer.optional().describe('All so far: a text, or a list of lines.'),
  cancel: z
    .strictObject({ method: z.enum(cancelMethods).default('POST'), path: path(laterNames) })
    .optional(),
  idempotency_header: headerName
    .optional()
    .describe('The server joins what was sent with the same value: a lost run is sent again.'),
  recover: z
    .strictObject({ path: path(['token', 'model']) })
    .optional()
    .describe('Where a run is looked up by our {{token}}; 404: it was never accepted.'),
});

export type HttpOptions = z.infer<typeof httpOptions>;

function unknownNames(template: unknown, known: string[]): string[] {
  return placeholdersIn(template).filter((name) => !known.includes(name.split('.')[0] ?? ''));
}
