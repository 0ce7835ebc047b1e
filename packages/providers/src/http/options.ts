import { isCallbackHeader } from '@holdfast/domain/callbackHeaders';
import { type ExecutionErrorCode, executionErrors } from '@holdfast/domain/errors';
import { usage as usageOfModel } from '@holdfast/domain/modelResponse';
import { z } from 'zod';
import { placeProblem } from '../place.ts';
import { placeholdersIn } from './template.ts';

const place = z
  .string()
  .refine((text) => placeProblem(text) === null, {
    error: ({ input }) => placeProblem(String(input)) ?? '',
  })
  .describe('JSON pointer or JSONPath into a response or a callback.');

const setting = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of a setting, such as TOKEN for <NAME>_TOKEN');

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

const callbackHeader = headerName.refine(
  (name) => isCallbackHeader(name.toLowerCase()),
  'must have sig, time, hmac or digest in its name: other headers of a callback are not stored',
);

const submitNames = ['input', 'model', 'token', 'callback_url', 'timeout_s'];
const laterNames = ['id', 'token', 'model'];

const path = (names: string[]) =>
  z
    .string()
    .regex(/^\//, 'must begin with /')
    .refine((text) => unknownNames(text, names).length === 0, {
      error: ({ input }) =>
        `has an unknown placeholder ${unknownNames(input, names).join(', ')}: known are ${names.join(', ')}`,
    });

const template = (names: string[]) =>
  z.unknown().refine((given) => unknownNames(given, names).length === 0, {
    error: ({ input }) =>
      `has an unknown placeholder ${unknownNames(input, names).join(', ')}: known are ${names.join(', ')}`,
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
    running: httpStatuses.describe('The run is still running.'),
  })
  .refine(({ done, failed, running }) => {
    const all = [...done, ...failed, ...running];
    return all.length > 0 && new Set(all).size === all.length;
  }, 'must name at least one HTTP status, and each of them once')
  .describe('Run status by the HTTP status of the response to a poll; takes precedence over `at`.');

const status = z
  .strictObject({
    at: place.optional().describe('Where a response or a callback has the status of the run.'),
    done: z.array(value).min(1).optional().describe('Values at `at` of a run that has succeeded.'),
    failed: z.array(value).default([]).describe('Values at `at` of a run that has failed.'),
    running: z
      .array(value)
      .optional()
      .describe(
        'Values at `at` of a running run. Default: every value that is neither in `done` nor in `failed`.',
      ),
    codes: codes.optional(),
  })
  .refine(({ at, codes: named }) => at !== undefined || named !== undefined, {
    path: ['at'],
    error: 'must be given, with `done`; or give `codes` if the HTTP status shows the status of a run',
  })
  .refine(({ at, done }) => (at === undefined) === (done === undefined), {
    path: ['done'],
    error:
      'and `at` must be given together: `at` is where the status is, `done` are its values for a successful run',
  })
  .describe('How a response shows whether a run has ended.');

const usage = z.strictObject({
  input_tokens: place.optional(),
  output_tokens: place.optional(),
  cost: place.optional(),
  cost_header: headerName.optional().describe('Header of the response with the cost, as a decimal.'),
  seconds: place.optional(),
  seconds_of: usageOfModel.shape.seconds_of,
});

const errors = z.strictObject({
  text: place.optional().describe('The error text of the server.'),
  code: place.optional().describe("The server's error code."),
  codes: z
    .record(z.string(), z.enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]]))
    .default({})
    .describe('Error codes of the server, and ours for them.'),
  statuses: z
    .record(
      z.string().regex(/^[45]\d\d$/, 'must be an HTTP status from 400 to 599'),
      z.enum(Object.keys(executionErrors) as [ExecutionErrorCode, ...ExecutionErrorCode[]]),
    )
    .default({})
    .describe(
      'HTTP statuses of a refused submit, or of the result of a failed run, and our codes for them. A known `code` takes precedence.',
    ),
  field: place.optional().describe('The invalid property of the input, such as `width`.'),
});

const events = z
  .strictObject({
    done: z
      .array(z.string())
      .min(1)
      .describe('Events that end a successful run. Their data is read as the response.'),
    failed: z.array(z.string()).default([]).describe('Events that end a failed run.'),
  })
  .describe('The response is a stream of server-sent events, which is read until one of these.');

/** Unclear responses to polls in a row. */
export const defaultMaxFailures = 5;

const poll = z
  .strictObject({
    at: place.optional().describe('Where the response to the submit has the URL to poll.'),
    header: headerName.optional().describe('Or the header with this URL. Default: Location.'),
    path: path(laterNames).optional().describe('Or the path itself, with {{id}}.'),
    method: z.enum(['GET', 'POST']).default('GET').describe('The method of a poll.'),
    body: template(laterNames).optional().describe('JSON that a POST sends, with {{id}}. Default: none.'),
    every_s: z.number().min(0.2).max(3600).default(2).describe('Seconds between polls.'),
    max_failures: z
      .int()
      .min(1)
      .max(1000)
      .default(defaultMaxFailures)
      .describe(
        'Number of unclear responses in a row (a 500, a page, JSON without the status) that fail a run. After each, the pause doubles, up to 30 s.',
      ),
    events: events.optional(),
  })
  .describe('How a run is polled. The URL must have the origin of the connection.');

const result = z
  .strictObject({
    at: place.optional().describe('Where the response with the status `done` has the URL of the result.'),
    header: headerName.optional().describe('Or the header with this URL.'),
    path: path(laterNames).optional().describe('Or the path itself, with {{id}}.'),
  })
  .refine(
    (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
    'must have one of `at`, `header` and `path`',
  )
  .describe('Where the result is read once a run has ended. The URL must have the origin of the connection.');

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

const stream = z
  .strictObject({
    path: path(submitNames).optional().describe('Path of the request that streams. Default: `path`.'),
    body: z
      .record(z.string(), template(submitNames))
      .optional()
      .describe('Properties that the body has when the output is streamed, such as `{ stream: true }`.'),
    format: z
      .enum(['sse', 'ndjson', 'bytes'])
      .default('sse')
      .describe(
        'Server-sent events, lines of JSON, or with `response_as: file` the bytes of the file, for `stream: audio`.',
      ),
    delta: place
      .default('')
      .describe('Where an event has the next piece of the output; events without one show nothing.'),
    usage: usage
      .pick({ input_tokens: true, output_tokens: true, cost: true, seconds: true })
      .default({})
      .describe(
        "Where an event has the usage; the last one counts. Default: the model's `usage`, or `usage` here.",
      ),
    finish_reason: place.optional().describe('Where an event says why the text has ended.'),
    done: z
      .strictObject({
        events: z.array(z.string()).default([]).describe('Names of events that end a successful run.'),
        data: z.string().min(1).optional().describe('The data of an event that does, such as `[DONE]`.'),
        at: place
          .optional()
          .describe('A place that has something in an event that does; with `values`, one of these.'),
        values: z.array(value).min(1).optional(),
      })
      .refine(
        ({ events: names, data, at }) => names.length > 0 || data !== undefined || at !== undefined,
        'must have one of `events`, `data` and `at`',
      )
      .optional()
      .describe(
        'The last event. A stream that ends without it has broken off. Default: the end of the response is the end of the run.',
      ),
    error: z
      .strictObject({
        events: z.array(z.string()).default([]).describe('Names of events that end a failed run.'),
        at: place.optional().describe('A place that has something in such an event. Default: `errors.text`.'),
      })
      .optional()
      .describe('An event by which a run fails. It is read with `errors`.'),
  })
  .describe(
    'How the response to the submit shows the output while it is made, for a model with `stream`. Only used for executions with `stream: true`.',
  );

const fields = z.strictObject({
  method: z
    .enum(['POST', 'PUT', 'PATCH', 'GET'])
    .default('POST')
    .describe('The method of the request that submits a run.'),
  path: path(submitNames).describe('Below the base URL, with placeholders such as {{model}}.'),
  headers: headerOptions.default({}).describe('Values are texts, or `{ from: SETTING }` of the connection.'),
  body: template(submitNames)
    .default('{{input}}')
    .describe(
      'Template of the request body. A placeholder that is a whole string keeps the type of its value.',
    ),
  body_as: z
    .enum(['json', 'form'])
    .default('json')
    .describe(
      '`form`: each property of the body is a part; files with `files.as: multipart` are sent as bytes.',
    ),
  response_as: z
    .enum(['json', 'text', 'file', 'multipart'])
    .default('json')
    .describe(
      'Format of the response with the result: JSON, a text, the bytes of one file, or a form whose parts are properties.',
    ),
  success: z.array(z.int().min(200).max(299)).min(1).optional().describe('Default: every 2xx.'),
  id: place.optional().describe("The server's id of the run."),
  output: place.default('').describe("Where the output is. The model's `pointer` takes precedence."),
  output_url: path(['item'])
    .optional()
    .describe(
      'Path of a file below the base URL, by {{item}}, an item of the output: `/view?filename={{item.filename}}`.',
    ),
  usage: usage.default({}).describe("Where the usage is. The model's `usage` takes precedence."),
  errors: errors.prefault({}).describe('Where the response for a failed run has the error.'),
  status: status.optional(),
  poll: poll.optional(),
  result: result.optional(),
  callback: callback.prefault({}).describe('How the server calls back.'),
  stream: stream.optional(),
  progress: place.optional().describe('Where a response has the progress of the run.'),
  progress_of: z
    .number()
    .positive()
    .default(1)
    .describe('The value of `progress` at the end: 1, or 100 for percent.'),
  queue_position: place.optional().describe('Where a response has the number of runs ahead of this one.'),
  logs: place.optional().describe('Where a response has the whole log so far: a text, or a list of lines.'),
  cancel: z
    .strictObject({
      method: z.enum(cancelMethods).default('POST'),
      path: path(laterNames).describe('Path with {{id}}.'),
      body: template(laterNames).optional().describe('JSON, with {{id}}. Default: none.'),
    })
    .optional()
    .describe('How a run is cancelled.'),
  idempotency_header: headerName
    .optional()
    .describe(
      'Header for the idempotency key. The server must treat requests with the same key as one run, because a lost run is submitted again.',
    ),
  recover: z
    .strictObject({ path: path(['token', 'model']) })
    .optional()
    .describe('Where a run is looked up by our {{token}}. 404 means that it was never accepted.'),
});

export const httpOptions = fields.superRefine((options, context) => {
  for (const { path: at, message } of contradictions(options)) {
    context.addIssue({ code: 'custom', path: at, message });
  }
});

export type HttpOptions = z.infer<typeof httpOptions>;

/** Combinations of fields that contradict each other, with the fix. */
function contradictions(options: z.infer<typeof fields>): { path: string[]; message: string }[] {
  const {
    response_as: as,
    status: runStatus,
    result: resultOptions,
    poll: pollOptions,
    usage: usageOptions,
    output,
  } = options;
  const listens = pollOptions?.events !== undefined;
  const found = (isWrong: boolean, at: string, message: string) => (isWrong ? [{ path: [at], message }] : []);
  const isWhole = as === 'text' || as === 'file';
  const later = [
    pollOptions?.path,
    pollOptions?.body ?? null,
    resultOptions?.path,
    options.cancel?.path,
    options.cancel?.body ?? null,
  ];
  return [
    ...found(
      options.id === undefined && later.flatMap(placeholdersIn).includes('id'),
      'id',
      "must be given: {{id}} is the server's id of the run, and `id` is where its response has it",
    ),
    ...found(
      as !== 'json' && runStatus?.at !== undefined && !resultOptions,
      'response_as',
      `is ${as}, so the response cannot contain the status: set the URL of the result in \`result\`, or the HTTP statuses in \`status.codes\``,
    ),
    ...found(
      isWhole && output !== '',
      'output',
      `must be left out: a response that is a ${as} has no places`,
    ),
    ...found(
      as === 'file' && options.output_url !== undefined,
      'output_url',
      'must be left out: the response is the file',
    ),
    ...found(
      isWhole && Object.keys(usageOptions).some((name) => !['cost_header', 'seconds_of'].includes(name)),
      'usage',
      `must be left out: a response that is a ${as} has no places`,
    ),
    ...found(
      pollOptions?.body !== undefined && pollOptions.method === 'GET',
      'poll',
      'has a body, which needs `method: POST`',
    ),
    ...found(
      resultOptions !== undefined && !pollOptions,
      'result',
      'needs `poll`, which finds out when the result is available',
    ),
    ...found(
      listens && resultOptions !== undefined,
      'result',
      'cannot be combined with `poll.events`: the last event contains the result',
    ),
    ...found(
      listens && runStatus !== undefined,
      'status',
      'cannot be combined with `poll.events`, whose names are the status',
    ),
    ...found(
      listens && as !== 'json' && as !== 'text',
      'response_as',
      `cannot be ${as} with \`poll.events\`: the data of an event is json or text`,
    ),
    ...streamContradictions(options),
  ];
}

function streamContradictions({
  stream: streamOptions,
  response_as: as,
  poll: pollOptions,
  method,
  body_as: bodyAs,
}: z.infer<typeof fields>): { path: string[]; message: string }[] {
  if (streamOptions === undefined) return [];
  const { format, delta, body } = streamOptions;
  const found = (isWrong: boolean, at: string[], message: string) => (isWrong ? [{ path: at, message }] : []);
  return [
    ...found(
      format === 'bytes' ? as !== 'file' : as !== 'json' && as !== 'text',
      ['response_as'],
      format === 'bytes'
        ? `is ${as}: \`stream.format\` bytes needs file`
        : `is ${as}: an event of a stream is json or text; for the bytes of a file set \`stream.format\` to bytes`,
    ),
    ...found(
      delta !== '' && (format === 'bytes' || as === 'text'),
      ['stream', 'delta'],
      `must be left out: ${format === 'bytes' ? 'bytes have' : 'a text has'} no places`,
    ),
    ...found(
      body !== undefined && (method === 'GET' || bodyAs === 'form'),
      ['stream', 'body'],
      'is for a request with a JSON body',
    ),
    ...found(
      pollOptions?.events !== undefined,
      ['stream'],
      'cannot be combined with `poll.events`: a run is shown by the response to its submit',
    ),
  ];
}

function unknownNames(template: unknown, known: string[]): string[] {
  return placeholdersIn(template).filter((name) => !known.includes(name.split('.')[0] ?? ''));
}
