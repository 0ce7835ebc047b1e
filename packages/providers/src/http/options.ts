import { isCallbackHeader } from '@holdfast/domain/callbackHeaders';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errors';
import { z } from 'zod';
import { placeProblem } from '../place.ts';
import { placeholdersIn } from './template.ts';

const place = z
  .string()
  .refine((text) => placeProblem(text) === null, {
    error: ({ input }) => placeProblem(String(input)) ?? '',
  })
  .describe('JSON pointer or JSONPath into an answer or a callback.');

const setting = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of a setting, such as TOKEN for <NAME>_TOKEN');

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

const callbackHeader = headerName.refine(
  (name) => isCallbackHeader(name.toLowerCase()),
  'must have sig, time, hmac or digest in its name: other headers of a callback are not kept',
);

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

const template = (names: string[]) =>
  z.json().refine((given) => unknownNames(given, names).length === 0, {
    error: ({ input }) => `knows no ${unknownNames(input, names).join(', ')}: there are ${names.join(', ')}`,
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

const httpStatuses = z.array(z.int().min(100).max(599)).default([]);

const codes = z
  .strictObject({
    done: httpStatuses.describe('The run has succeeded.'),
    failed: httpStatuses.describe('The run has failed.'),
    running: httpStatuses.describe('The run goes on.'),
  })
  .refine(({ done, failed, running }) => {
    const all = [...done, ...failed, ...running];
    return all.length > 0 && new Set(all).size === all.length;
  }, 'must name at least one HTTP status, and each of them once')
  .describe('What the HTTP status of an answer to a question says of the run; wins over `at`.');

const status = z
  .strictObject({
    at: place.optional().describe('Where an answer or a callback says how the run stands.'),
    done: z.array(value).min(1).optional().describe('Values at `at` of a run that has succeeded.'),
    failed: z.array(value).default([]).describe('Values at `at` of a run that has failed.'),
    running: z
      .array(value)
      .optional()
      .describe('Values at `at` of a run that goes on. Default: whatever is neither done nor failed.'),
    codes: codes.optional(),
  })
  .refine(({ at, codes: named }) => at !== undefined || named !== undefined, {
    path: ['at'],
    error: 'must be given, with `done`; or `codes`, where the HTTP status says how a run stands',
  })
  .refine(({ at, done }) => (at === undefined) === (done === undefined), {
    path: ['done'],
    error: 'and `at` belong together: where the status is, and which values say that a run has succeeded',
  })
  .describe('How an answer says whether a run has ended.');

const usage = z.strictObject({
  input_tokens: place.optional(),
  output_tokens: place.optional(),
  cost: place.optional(),
  cost_header: headerName.optional().describe('Header of the answer that has the cost, as a decimal.'),
  seconds: place.optional(),
});

const errors = z.strictObject({
  text: place.optional().describe('What went wrong, in the words of the server.'),
  code: place.optional().describe("The server's code for it."),
  codes: z
    .record(z.string(), z.enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]]))
    .default({})
    .describe('Its codes: ours.'),
  statuses: z
    .record(
      z.string().regex(/^[45]\d\d$/, 'must be an HTTP status from 400 to 599'),
      z.enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]]),
    )
    .default({})
    .describe(
      'HTTP statuses of a refused submit, or of the result of a failed run: our codes. A `code` that is known decides first.',
    ),
  field: place.optional().describe('The property of the input that is at fault, such as `width`.'),
});

const events = z
  .strictObject({
    done: z.array(z.string()).min(1).describe('Events that end a run well. Their data is the answer.'),
    failed: z.array(z.string()).default([]).describe('Events that end a run that has failed.'),
  })
  .describe('The answer is a stream of server-sent events, which is listened to until one of these comes.');

/** Unclear responses to polls in a row. */
export const defaultMaxFailures = 5;

const poll = z
  .strictObject({
    at: place.optional().describe('Where the answer to the submit has the URL to ask.'),
    header: headerName.optional().describe('Which header has it. Default: Location.'),
    path: path(laterNames).optional().describe('Or the path itself, with {{id}}.'),
    every_s: z.number().min(0.2).max(3600).default(2).describe('Seconds between questions.'),
    max_failures: z
      .int()
      .min(1)
      .max(1000)
      .default(defaultMaxFailures)
      .describe(
        'So many answers in a row that say nothing of the run (a 500, a page, JSON without the status) fail it. After each, the pause doubles, up to 30 s.',
      ),
    events: events.optional(),
  })
  .describe('How a run is asked about. The URL must be of the origin of the connection.');

const result = z
  .strictObject({
    at: place.optional().describe('Where the answer that says `done` has the URL of the result.'),
    header: headerName.optional().describe('Or which of its headers has it.'),
    path: path(laterNames).optional().describe('Or the path itself, with {{id}}.'),
  })
  .refine(
    (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
    'must have one of `at`, `header` and `path`',
  )
  .describe(
    'Where the result is read once a run has ended. The URL must be of the origin of the connection.',
  );

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

const fields = z.strictObject({
  method: z
    .enum(['POST', 'PUT', 'PATCH', 'GET'])
    .default('POST')
    .describe('Of the request that submits a run.'),
  path: path(submitNames).describe('Below the base URL, with placeholders such as {{model}}.'),
  headers: headerOptions.default({}).describe('A text, or `{ from: SETTING }` of the connection.'),
  body: template(submitNames)
    .default('{{input}}')
    .describe('Template of the request; a placeholder that is a whole string keeps the type of its value.'),
  body_as: z
    .enum(['json', 'form'])
    .default('json')
    .describe('`form`: each property of the body is a part, files of `files.as: multipart` as their bytes.'),
  response_as: z
    .enum(['json', 'text', 'file', 'multipart'])
    .default('json')
    .describe(
      'What the answer with the result is: JSON, a text, the bytes of one file, or a form whose parts are the properties of the answer.',
    ),
  success: z.array(z.int().min(200).max(299)).min(1).optional().describe('Default: every 2xx.'),
  id: place.optional().describe("The server's name of the run."),
  output: place.default('').describe("Where it is unless the model's `pointer` says it."),
  usage: usage.default({}).describe("Where it is unless the model's `usage` says it."),
  errors: errors.prefault({}).describe('What the answer of a run that failed says.'),
  status: status.optional(),
  poll: poll.optional(),
  result: result.optional(),
  callback: callback.prefault({}).describe('How the server calls back.'),
  progress: place.optional().describe('Where an answer says how far the run is.'),
  progress_of: z
    .number()
    .positive()
    .default(1)
    .describe('What `progress` is at the end: 1, or 100 for percent.'),
  queue_position: place.optional().describe('Where it says how many runs are before it.'),
  logs: place.optional().describe('All so far: a text, or a list of lines.'),
  cancel: z
    .strictObject({
      method: z.enum(cancelMethods).default('POST'),
      path: path(laterNames).describe('With {{id}}.'),
      body: template(laterNames).optional().describe('JSON, with {{id}}. Default: none.'),
    })
    .optional()
    .describe('How a run is stopped.'),
  idempotency_header: headerName
    .optional()
    .describe('The server joins what was sent with the same value: a lost run is sent again.'),
  recover: z
    .strictObject({ path: path(['token', 'model']) })
    .optional()
    .describe('Where a run is looked up by our {{token}}; 404: it was never accepted.'),
});

export const httpOptions = fields.superRefine((options, context) => {
  for (const { path: at, message } of contradictions(options)) {
    context.addIssue({ code: 'custom', path: at, message });
  }
});

export type HttpOptions = z.infer<typeof httpOptions>;

/** Combinations of fields that contradict each other, with the fix. */
function contradictions(options: z.infer<typeof fields>): { path: string[]; message: string }[] {
  const { response_as: as, status: standing, result: second, poll: asked, usage: counted, output } = options;
  const listens = asked?.events !== undefined;
  const found = (isWrong: boolean, at: string, message: string) => (isWrong ? [{ path: [at], message }] : []);
  const isWhole = as === 'text' || as === 'file';
  const later = [asked?.path, second?.path, options.cancel?.path, options.cancel?.body ?? null];
  return [
    ...found(
      options.id === undefined && later.flatMap(placeholdersIn).includes('id'),
      'id',
      "must be given: {{id}} is the server's name of the run, and this says where its answer has it",
    ),
    ...found(
      as !== 'json' && standing?.at !== undefined && !second,
      'response_as',
      `is ${as}, so the answer can't hold the status: name the URL of the result in \`result\`, or the HTTP statuses in \`status.codes\``,
    ),
    ...found(isWhole && output !== '', 'output', `must be left out: an answer that is a ${as} has no places`),
    ...found(
      isWhole && Object.keys(counted).some((name) => name !== 'cost_header'),
      'usage',
      `must be left out: an answer that is a ${as} has no places`,
    ),
    ...found(second !== undefined && !asked, 'result', 'needs `poll`, which says when the result is there'),
    ...found(
      listens && second !== undefined,
      'result',
      'can not be read beside `poll.events`: the event that ends the run holds it',
    ),
    ...found(
      listens && standing !== undefined,
      'status',
      'can not be given beside `poll.events`, whose names say how a run stands',
    ),
    ...found(
      listens && as !== 'json' && as !== 'text',
      'response_as',
      `can not be ${as} with \`poll.events\`: the data of an event is json or text`,
    ),
  ];
}

function unknownNames(template: unknown, known: string[]): string[] {
  return placeholdersIn(template).filter((name) => !known.includes(name.split('.')[0] ?? ''));
}
