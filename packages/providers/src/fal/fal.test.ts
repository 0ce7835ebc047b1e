import type { Reply } from '../conformance/fakeServer.ts';
import { acceleratedClock, providerRunId, type Run, type Subject, secrets } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import { createFal } from './fal.ts';
import { fixture } from './testing/fixtures.ts';
import { createSigner } from './testing/signer.ts';

const leak = `${secrets.upstream}: fal at http://127.0.0.1:5000 (${secrets.apiKey}) cannot run ${secrets.providerModel}`;
const signer = createSigner();
const forger = createSigner();
const result = fixture('result');

const refused = (status: number, json: unknown, headers?: Record<string, string>): Reply => ({
  status,
  json,
  ...(headers && { headers }),
});
const modelError = (status: number, type: string): Reply =>
  refused(status, { detail: [{ loc: ['body', 'prompt'], msg: `no ${leak}`, type }] });
const requestError = (status: number, type: string): Reply =>
  refused(status, { detail: leak, error_type: type }, { 'x-fal-error-type': type });
const completed = (part: object = {}): Reply => refused(200, { ...fixture('statusCompleted'), ...part });
const failing = (name: string, reply: Reply, code: string, says?: RegExp) => ({
  name,
  replies: () => [completed(), reply],
  code: code as 'GENERATION_FAILED',
  ...(says && { says }),
});

function accepted({ id, baseUrl }: Run): Reply {
  const url = `${baseUrl}/acme/secret-model-7b/requests/${id}`;
  const urls = { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
  return { status: 200, json: { ...fixture('submit'), request_id: id, ...urls } };
}

const subject: Subject = {
  name: 'fal',
  create: (connection) => createFal(connection, acceleratedClock()),
  settings: (baseUrl) => ({ JWKS_URL: `${baseUrl}/.well-known/jwks.json` }),
  submission: { mapping: { output: { kind: 'images' }, errors: [] } },
  authorization: (key) => `Key ${key}`,
  outcome: {
    output: { images: [{ url: 'https://v3.fal.media/files/elephant/7Fq.jpeg' }] },
    measured: { seconds: 1.5, images: 1 },
  },
  failures: [
    {
      name: '422',
      reply: modelError(422, 'value_error'),
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
      says: /: check input\.prompt\.$/,
    },
    {
      name: '400, bad_request',
      reply: requestError(400, 'bad_request'),
      state: 'refused',
      code: 'MODEL_UNAVAILABLE',
      retryAfterMs: null,
      alerts: true,
    },
    {
      name: 'moderation',
      reply: modelError(422, 'content_policy_violation'),
      state: 'ended',
      code: 'CONTENT_MODERATION_REJECTED',
    },
    ...[401, 402, 403, 302].map((status) => ({
      name: String(status),
      reply: refused(status, { detail: leak }),
      state: 'refused' as const,
      code: 'SERVICE_UNAVAILABLE' as const,
      retryAfterMs: null,
      alerts: true,
    })),
    {
      name: '404',
      reply: refused(404, { detail: `Application ${leak} not found` }),
      state: 'refused',
      code: 'MODEL_UNAVAILABLE',
      retryAfterMs: null,
      alerts: true,
    },
    { name: '429', reply: refused(429, { detail: leak }), state: 'refused', code: 'MODEL_OVERLOADED' },
    {
      name: '503, runner_scheduling_failure',
      reply: requestError(503, 'runner_scheduling_failure'),
      state: 'refused',
      code: 'MODEL_UNAVAILABLE',
    },
    {
      name: '503 that is not to be tried again',
      reply: refused(503, { detail: leak }, { 'x-fal-retryable': 'false' }),
      state: 'refused',
      code: 'MODEL_UNAVAILABLE',
      retryAfterMs: null,
    },
    ...[500, 502].map((status) => ({
      name: String(status),
      reply: refused(status, { detail: leak }),
      state: 'unknown' as const,
      code: 'GENERATION_FAILED' as const,
    })),
    {
      name: '504',
      reply: requestError(504, 'request_timeout'),
      state: 'unknown',
      code: 'GENERATION_TIMEOUT',
    },
  ],
  invalid: (field, text) =>
    refused(422, { detail: [{ loc: ['body', field], msg: text, type: 'less_than_equal' }] }),
  empty: [
    { status: 200, json: {} },
    { status: 200, json: { request_id: '../../other' } },
  ],
  recovery: 'impossible',
  asyncRuns: {
    accepted,
    running: () => [{ status: 202, json: fixture('statusInQueue') }],
    succeeded: () => [completed(), { status: 200, json: result }],
    failures: [
      failing(
        'bad input',
        modelError(422, 'value_error'),
        'INPUT_VALIDATION_ERROR',
        /: check input\.prompt\.$/,
      ),
      failing('moderation', modelError(422, 'content_policy_violation'), 'CONTENT_MODERATION_REJECTED'),
      failing(
        'a format',
        { status: 422, json: fixture('modelError') },
        'FILE_FORMAT_UNSUPPORTED',
        /^The format of a file is not supported by the model\.$/,
      ),
      failing('an archive', modelError(422, 'invalid_archive'), 'FILE_FORMAT_UNSUPPORTED'),
      failing('a picture', modelError(422, 'image_load_error'), 'FILE_FORMAT_UNSUPPORTED'),
      failing('a lost file', modelError(422, 'file_download_error'), 'GENERATION_FAILED'),
      failing('too slow a model', modelError(504, 'generation_timeout'), 'GENERATION_TIMEOUT'),
      failing('a time-out', { status: 504, json: fixture('requestError') }, 'GENERATION_TIMEOUT'),
      failing('a slow start', requestError(504, 'startup_timeout'), 'GENERATION_TIMEOUT'),
      failing('no runner', requestError(503, 'runner_scheduling_failure'), 'MODEL_UNAVAILABLE'),
      failing('a broken runner', requestError(500, 'runner_server_error'), 'GENERATION_FAILED'),
      failing('half a result', requestError(502, 'runner_incomplete_response'), 'GENERATION_FAILED'),
      failing('others behind it', modelError(400, 'downstream_service_error'), 'GENERATION_FAILED'),
      failing('a failure of its own', modelError(500, 'internal_server_error'), 'GENERATION_FAILED'),
      failing("a request that is not the client's", requestError(422, 'bad_request'), 'MODEL_UNAVAILABLE'),
      failing(
        'a field that no client chooses',
        refused(422, { detail: [{ loc: ['body', 'steps'], msg: leak, type: 'less_than_equal' }] }),
        'MODEL_UNAVAILABLE',
      ),
      failing('nothing made', { status: 200, json: { images: [] } }, 'GENERATION_FAILED'),
      {
        name: 'an error of the status alone',
        replies: () => [completed(fixture('statusFailed')), refused(503, {})],
        code: 'MODEL_UNAVAILABLE',
      },
      {
        name: 'an error of the status, reported in the result',
        replies: () => [
          completed({ error: 'Invalid status code: 422' }),
          { status: 422, json: fixture('modelError') },
        ],
        code: 'FILE_FORMAT_UNSUPPORTED',
      },
    ],
    withProgress: {
      replies: () => [{ status: 202, json: fixture('statusInProgress') }],
      reported: {
        progress: 0.25,
        logs: 'INFO:TRYON:Preprocessing images...\n 25%|##5       | 7/28 [00:00<00:02,  9.1it/s]',
      },
    },
    cancel: { method: 'PUT', path: ({ cancel_url = '' }) => new URL(cancel_url).pathname },
    callbacks: {
      ended: (id) => ({ ...fixture('webhookOk'), request_id: id, payload: result }),
      failed: (id) => ({ ...fixture('webhookError'), request_id: id }),
      notEnded: (id) => ({ ...fixture('statusInProgress'), request_id: id }),
      incomplete: (id) => ({ ...fixture('webhookPayloadError'), request_id: id }),
      signing: {
        headers: (body, { atS, forged }) =>
          (forged ? forger : signer).headers(body, { requestId: providerRunId, atS }),
        key: () => ({ status: 200, json: signer.jwks() }),
      },
    },
  },
};

const texts = ['Grüße aus ', '東京, ', '🚢 ahoy', '!'];
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const usage = { prompt_tokens: 3, completion_tokens: 9 };

describeConformance({
  ...subject,
  streaming: {
    submission: { mapping: { output: { kind: 'text' }, errors: [] } },
    pieces: texts,
    piece: (piece) =>
      event({
        output: texts.slice(0, texts.indexOf(String(piece)) + 1).join(''),
        partial: true,
        error: null,
      }),
    end: (_run, { pieces, usage: isReported }) =>
      event({ output: pieces.join(''), partial: false, ...(isReported && { usage }) }),
    reportsUsage: true,
    error: (error) => event({ output: '', partial: false, error }),
  },
});
