import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import { describe, expect, it } from '@jest/globals';
import { submissionOf } from '../conformance/subject.ts';
import type { Submission } from '../interface.ts';
import { readRefusal } from './refusal.ts';

const field = (name: string) => ({ name, schema: {} });
const properties = ['prompt', 'temperature', 'max_tokens', 'size', 'image'];
const fields = Object.fromEntries(properties.map((name) => [name, field(name)]));

function refusalOf(status: number, json: unknown, part: Partial<Submission> = {}) {
  const response = { ok: true, status, headers: {}, json, bodyText: JSON.stringify(json) } as const;
  const mapping = { output: { kind: 'text' as const }, errors: [], fields };
  const submission = submissionOf({ submission: { mapping } }, part);
  return readRefusal(response, submission, { baseUrl: 'http://gpu', apiKey: null });
}

const error = (message: string, part: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...part },
});
/** As LiteLLM's proxy 1.106 responses. */
const litellm = (message: string, part: object = {}) => error(message, { code: '400', ...part });
const unrouted = "\n\nLiteLLM: model group 'dead' failed with the error above. No fallback was attempted.";

type Case = [what: string, status: number, json: unknown, code: ExecutionErrorCode, message: RegExp];

const clients: Case[] = [
  [
    'OpenAI: a number that is too large',
    400,
    error("Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 9 instead.", {
      param: 'temperature',
      code: 'decimal_above_max_value',
    }),
    'INPUT_VALIDATION_ERROR',
    /: check input\.temperature\.$/,
  ],
  [
    'OpenAI: a message that is too long',
    400,
    error("Invalid 'messages[0].content': string too long.", {
      param: 'messages[0].content',
      code: 'string_above_max_length',
    }),
    'INPUT_VALIDATION_ERROR',
    /: check input\.prompt\.$/,
  ],
  [
    'OpenAI: more tokens than the model takes',
    400,
    error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.", {
      param: 'messages',
      code: 'context_length_exceeded',
    }),
    'INPUT_VALIDATION_ERROR',
    /^The input is too long for the model: check input\.prompt\.$/,
  ],
  [
    'OpenAI: a prompt against its policy',
    400,
    error('Your request was rejected as a result of our safety system.', { code: 'moderation_blocked' }),
    'CONTENT_MODERATION_REJECTED',
    /content moderation\.$/,
  ],
  [
    'OpenAI: a sound of another format',
    400,
    error("Invalid file format. Supported formats: ['flac', 'm4a', 'mp3']"),
    'FILE_FORMAT_UNSUPPORTED',
    /format of a file/,
  ],
  [
    'OpenAI: an image of another format',
    400,
    error('You uploaded an unsupported image.', { code: 'invalid_image_format', param: 'image[0]' }),
    'FILE_FORMAT_UNSUPPORTED',
    /: check input\.image\.$/,
  ],
  [
    'Azure: filtered content',
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    'CONTENT_MODERATION_REJECTED',
    /content moderation: check input\.prompt\.$/,
  ],
  [
    'LiteLLM: a parameter of its upstream',
    400,
    litellm(
      `litellm.BadRequestError: OpenAIException - Invalid 'temperature': decimal above maximum.${unrouted}`,
      {
        param: 'temperature',
      },
    ),
    'INPUT_VALIDATION_ERROR',
    /: check input\.temperature\.$/,
  ],
  [
    'LiteLLM: more tokens than its upstream takes',
    400,
    litellm(
      `litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: GroqException - {"error": {}}\nmodel=dead. context_window_fallbacks=None.${unrouted}`,
    ),
    'INPUT_VALIDATION_ERROR',
    /^The input is too long for the model\.$/,
  ],
  [
    'LiteLLM: a prompt against the policy of its upstream',
    400,
    litellm(
      `litellm.BadRequestError: litellm.ContentPolicyViolationError: ContentPolicyViolationError: OpenAIException - Your request was rejected as a result of our safety system.\nmodel=dead.${unrouted}`,
    ),
    'CONTENT_MODERATION_REJECTED',
    /content moderation\.$/,
  ],
  [
    'vLLM: more tokens than the model takes',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 2048 tokens. However, you requested 4096 tokens.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    'INPUT_VALIDATION_ERROR',
    /^The input is too long for the model\.$/,
  ],
  [
    'llama.cpp: more tokens than a batch takes',
    500,
    error('input (1234 tokens) is too large to process. increase the physical batch size', {
      type: 'server_error',
      code: 500,
    }),
    'INPUT_VALIDATION_ERROR',
    /^The input is too long for the model\.$/,
  ],
  [
    'llama.cpp: more tokens than the model takes',
    400,
    error('the request exceeds the available context size (4096 tokens), try increasing it', {
      type: 'exceed_context_size_error',
      code: 400,
      n_ctx: 4096,
    }),
    'INPUT_VALIDATION_ERROR',
    /^The input is too long for the model\.$/,
  ],
  [
    'Text Generation Inference: a number that is too large',
    422,
    { error: 'Input validation error: `temperature` must be strictly positive', error_type: 'validation' },
    'INPUT_VALIDATION_ERROR',
    /^The model refused the input\.$/,
  ],
  [
    'a server made with FastAPI: a missing field',
    422,
    { detail: [{ type: 'missing', loc: ['body', 'max_tokens'], msg: 'Field required', input: {} }] },
    'INPUT_VALIDATION_ERROR',
    /: check input\.max_tokens\.$/,
  ],
];

const operators: [what: string, status: number, json: unknown, code: ExecutionErrorCode, alert: RegExp][] = [
  [
    'LiteLLM without a database: a wrong key',
    400,
    { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } },
    'SERVICE_UNAVAILABLE',
    /^the connection returned 400 no_db_connection$/,
  ],
  [
    'LiteLLM: an unknown model',
    400,
    litellm(
      '/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models.',
      {
        provider_specific_fields: { error: '/chat/completions: Invalid model name passed in model=x.' },
      },
    ),
    'MODEL_UNAVAILABLE',
    /^the connection returned 400 invalid_request_error, not known to be about the input/,
  ],
  [
    'LiteLLM: the account of its upstream',
    400,
    litellm(`litellm.BadRequestError: OpenAIException - Billing hard limit has been reached${unrouted}`),
    'MODEL_UNAVAILABLE',
    /^the connection returned 400 /,
  ],
  [
    'OpenAI: the account',
    400,
    error('Billing hard limit has been reached', { code: 'billing_hard_limit_reached' }),
    'SERVICE_UNAVAILABLE',
    /billing_hard_limit_reached/,
  ],
  [
    'OpenAI: a model of another endpoint',
    400,
    error('invalid model ID', { param: 'model' }),
    'MODEL_UNAVAILABLE',
    /^the connection returned 400 /,
  ],
  [
    'OpenAI: a parameter that the model no longer takes, which no client sends',
    400,
    error("Unsupported parameter: 'top_k'", { param: 'top_k', code: 'unsupported_parameter' }),
    'MODEL_UNAVAILABLE',
    /unsupported_parameter/,
  ],
  [
    'LM Studio: a model that is not loaded',
    400,
    { error: 'No models loaded. Please load a model in the developer page.' },
    'MODEL_UNAVAILABLE',
    /^the connection returned 400, /,
  ],
  ['an unknown error', 400, { error: { message: {}, type: [] } }, 'MODEL_UNAVAILABLE', /400/],
];

describe('a bad request that is certainly about the input is the fault of the client', () => {
  it.each(clients)('%s', (_what, status, json, code, message) => {
    const progress = refusalOf(status, json);
    expect(progress).toMatchObject({
      state: 'ended',
      outcome: { code, message: expect.stringMatching(message), raw: expect.stringMatching(/./) },
    });
    expect(progress).not.toHaveProperty('isTheirFault');
    expect(JSON.stringify(progress)).not.toMatch(/"message":"[^"]*(litellm|exception|azure|openai)/i);
    expect(progress).not.toHaveProperty('alert');
  });
});

describe('any other bad request is for the operator, and the next provider is tried', () => {
  it.each(operators)('%s', (_what, status, json, code, alert) => {
    expect(refusalOf(status, json)).toMatchObject({
      state: 'refused',
      retryAfterMs: null,
      outcome: {
        code,
        message: expect.stringMatching(/^The (model|service) is not available at the moment\.$/),
      },
      alert: expect.stringMatching(alert),
    });
  });

  it('a field that the options of the model set', () => {
    const json = error('temperature is not supported', { param: 'temperature' });
    const part = { options: { body: { temperature: 2 } } };
    expect(refusalOf(400, json, part)).toMatchObject({ state: 'refused', alert: expect.any(String) });
    expect(refusalOf(400, json)).toMatchObject({ state: 'ended' });
  });
});
