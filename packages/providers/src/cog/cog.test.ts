import type { ExecutionErrorCode } from '@holdfast/domain/errors';
import { describe, expect, it } from '@jest/globals';
import { startFakeServer } from '../conformance/fakeServer.ts';
import { setupForEachTest } from '../conformance/setup.ts';
import { describeStreaming } from '../conformance/streaming.ts';
import { type Subject, secrets, submissionOf } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import { createCog } from './cog.ts';
import { predictionOutcome, readPrediction } from './prediction.ts';

const leak = `${secrets.upstream}: cog at http://127.0.0.1:5000 (${secrets.apiKey}) cannot run ${secrets.providerModel}`;
const metrics = { predict_time: 1.5, input_token_count: 3, output_token_count: 5, cost: '0.25' };
const succeeded = (id: string) => ({ id, status: 'succeeded', output: ['hel', 'lo'], metrics });
const accepted = ({ id }: { id: string }) => ({
  status: 202,
  json: { id, status: 'starting', output: null },
});
/** To the question about a run that is not under way. */
const notUnderWay = {
  status: 422,
  json: { detail: [{ loc: ['body', 'input', '__root__'], msg: '[] is not of type "object"' }] },
};
const streamed = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const failed = (error: string) => ({ status: 200, json: { id: 'x', status: 'failed', error } });

const invalid = (loc: string[], msg: string) => ({
  detail: [{ loc: ['body', ...loc], msg, type: 'value_error' }],
});

/** What Cog 0.23 responses with 400 and 422. */
const bodies = [
  [
    'a number that is too large',
    422,
    invalid(['input', 'width'], '9999 is greater than the maximum of 4096'),
    'INPUT_VALIDATION_ERROR',
    /: check input\.width\.$/,
  ],
  [
    'a missing property',
    422,
    { detail: [{ loc: ['body', 'input', 'prompt'], msg: 'Field required', type: 'value_error.missing' }] },
    'INPUT_VALIDATION_ERROR',
    /: check input\.prompt\.$/,
  ],
  [
    'an id that is not the one in the URL',
    422,
    invalid(['id'], 'prediction ID must match the ID supplied in the URL'),
    'MODEL_UNAVAILABLE',
    /not available/,
  ],
  [
    'an input that is not an object',
    422,
    invalid(['input', '__root__'], '5 is not of type "object"'),
    'MODEL_UNAVAILABLE',
    /not available/,
  ],
] as const satisfies [string, number, object, ExecutionErrorCode, RegExp][];

const subject: Subject = {
  name: 'cog',
  create: createCog,
  submission: {
    mapping: {
      output: { kind: 'text' },
      errors: [
        { match: 'NSFW', code: 'CONTENT_MODERATION_REJECTED', message: 'Not that.' },
        { match: '^(?<code>[A-Z_]+): ' },
      ],
    },
  },
  success: (id) => ({ status: 200, json: succeeded(id) }),
  outcome: {
    output: { text: 'hello' },
    usage: { inputTokens: 3, outputTokens: 5 },
    measured: { seconds: 1.5, cost: '0.25' },
  },
  failures: [
    ...bodies.map(([name, status, json, code, says]) => {
      const isClients = code === 'INPUT_VALIDATION_ERROR';
      const means = isClients
        ? { state: 'ended' as const }
        : { state: 'refused' as const, retryAfterMs: null, alerts: true };
      return { name, reply: { status, json }, code, says, ...means };
    }),
    {
      name: '401',
      reply: { status: 401, text: leak },
      state: 'refused',
      retryAfterMs: null,
      alerts: true,
      code: 'SERVICE_UNAVAILABLE',
    },
    {
      name: '403',
      reply: { status: 403, text: leak },
      state: 'refused',
      retryAfterMs: null,
      alerts: true,
      code: 'SERVICE_UNAVAILABLE',
    },
    {
      name: '404',
      reply: { status: 404, text: leak },
      state: 'refused',
      retryAfterMs: null,
      alerts: true,
      code: 'MODEL_UNAVAILABLE',
    },
    {
      name: '302',
      reply: { status: 302, headers: { location: '/login' } },
      state: 'refused',
      retryAfterMs: null,
      alerts: true,
      code: 'SERVICE_UNAVAILABLE',
    },
    {
      name: '409',
      reply: { status: 409, json: { detail: leak } },
      state: 'refused',
      busy: true,
      code: 'MODEL_OVERLOADED',
    },
    { name: '429', reply: { status: 429, text: leak }, state: 'refused', code: 'MODEL_OVERLOADED' },
    { name: '503', reply: { status: 503, text: leak }, state: 'refused', code: 'MODEL_UNAVAILABLE' },
    { name: '500', reply: { status: 500, text: leak }, state: 'unknown', code: 'GENERATION_FAILED' },
    { name: '504', reply: { status: 504, text: leak }, state: 'unknown', code: 'GENERATION_TIMEOUT' },
    { name: 'failed', reply: failed(leak), state: 'ended', code: 'GENERATION_FAILED' },
    { name: 'failed without a word', reply: failed(''), state: 'ended', code: 'GENERATION_FAILED' },
    {
      name: 'failed with a code of ours',
      reply: failed(`FILE_FORMAT_UNSUPPORTED: no picture, says ${leak}`),
      state: 'ended',
      code: 'FILE_FORMAT_UNSUPPORTED',
      says: /^The format of a file is not supported by the model\.$/,
    },
    {
      name: 'failed with what looks like a code',
      reply: failed('VALUE_ERROR: 3'),
      state: 'ended',
      code: 'GENERATION_FAILED',
    },
    {
      name: 'failed as a rule of the model knows',
      reply: failed('NSFW content detected'),
      state: 'ended',
      code: 'CONTENT_MODERATION_REJECTED',
      says: /^Not that\.$/,
    },
    {
      name: 'canceled',
      reply: { status: 200, json: { id: 'x', status: 'canceled' } },
      state: 'ended',
      code: 'GENERATION_FAILED',
    },
    {
      name: 'aborted',
      reply: { status: 200, json: { id: 'x', status: 'aborted' } },
      state: 'ended',
      code: 'GENERATION_TIMEOUT',
    },
  ],
  invalid: (field, text) => ({ status: 422, json: invalid(['input', field], text) }),
  empty: [
    { status: 200, json: { id: 'x', status: 'succeeded', output: null } },
    { status: 200, json: { id: 'x', status: 'succeeded', output: 5 } },
    { status: 200, json: { what: 'ever' } },
  ],
  recovery: 'submits again',
  asyncRuns: {
    accepted,
    running: (run) => [accepted(run)],
    withProgress: {
      replies: ({ id }) => [{ status: 202, json: { id, status: 'processing', logs: ' 25%|##  | 5/20' } }],
      reported: { progress: 0.25, logs: ' 25%|##  | 5/20' },
    },
    succeeded: ({ id }) => [notUnderWay, { status: 200, json: succeeded(id) }],
    cancel: {
      method: 'POST',
      path: ({ externalId }) => `/acme/secret-model-7b/predictions/${externalId}/cancel`,
    },
    callbacks: {
      ended: succeeded,
      failed: (id) => ({ id, status: 'failed', error: leak }),
      notEnded: (id) => ({ id, status: 'processing', output: ['hel'] }),
    },
  },
};

const streaming: NonNullable<Subject['streaming']> = {
  start: ({ id }) => streamed('start', { id, status: 'processing' }),
  piece: (chunk) => streamed('output', { chunk, index: 0 }),
  end: ({ id }, { pieces, usage }) => {
    const tokens = { input_token_count: 3, output_token_count: 9 };
    return [
      ...(usage
        ? Object.entries(tokens).map(([name, value]) => streamed('metric', { name, value, mode: 'replace' }))
        : []),
      streamed('completed', { ...succeeded(id), output: pieces, metrics: usage ? tokens : {} }),
    ].join('');
  },
  reportsUsage: true,
  error: (error, { id }) => streamed('completed', { id, status: 'failed', error, output: ['Grüße aus '] }),
};

describeConformance({ ...subject, streaming });

describe('a container that yields images', () => {
  const urls = ['https://files.example/a.png', 'https://files.example/b.png'];
  const painter: Subject = {
    ...subject,
    streaming: {
      ...streaming,
      kind: 'image',
      submission: { mapping: { output: { kind: 'images' }, errors: [] } },
      pieces: urls,
      output: { images: urls.map((url) => ({ url })) },
    },
  };
  describeStreaming(painter, setupForEachTest(painter));
});

describe('recovery at a Cog container that is busy or starting', () => {
  it('leaves open whether a run of mode sync was accepted', async () => {
    const fakeServer = await startFakeServer();
    const provider = createCog({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
    const { signal } = new AbortController();
    fakeServer.reply({ status: 409 });
    const refused = { state: 'refused', retryAfterMs: 1000 };
    const submitted = await provider.submit(submissionOf(subject), signal);
    expect(submitted).toMatchObject(refused);
    expect(submitted).not.toHaveProperty('mayHaveRun');
    for (const reply of [{ status: 409 }, { status: 502 }, 'reset'] as const) {
      fakeServer.reply(reply);
      const recovered = await provider.recover(submissionOf(subject), signal);
      expect(recovered).toMatchObject({ ...refused, mayHaveRun: true });
    }
    provider.close();
    await fakeServer.close();
  });
});

const outcomeOf = (output: unknown, kind: 'images' | 'raw') => {
  const prediction = readPrediction({ id: 'x', status: 'succeeded', output });
  if (prediction === null) throw new Error('no prediction');
  return predictionOutcome(
    prediction,
    { output: { kind }, errors: [] },
    { baseUrl: 'http://a', apiKey: null },
  );
};

describe('a Cog prediction', () => {
  it('returns one image or several', () => {
    const png = 'data:image/png;base64,AA==';
    const images = [{ url: png }, { url: 'https://a/b.png' }];
    expect(outcomeOf([png, 'https://a/b.png'], 'images')).toMatchObject({
      output: { images },
      measured: { images: 2 },
    });
    expect(outcomeOf(png, 'images')).toMatchObject({ output: { images: [{ url: png }] } });
  });

  it.each([[[]], ['/etc/passwd'], [['ftp://a/b']], [{}]])('fails without an image in %j', (output) => {
    expect(outcomeOf(output, 'images')).toMatchObject({ ok: false, code: 'GENERATION_FAILED' });
  });

  it('returns raw output as an object', () => {
    expect(outcomeOf({ a: 1 }, 'raw')).toMatchObject({ output: { a: 1 } });
    expect(outcomeOf([1, 2], 'raw')).toMatchObject({ output: { output: [1, 2] } });
  });
});
