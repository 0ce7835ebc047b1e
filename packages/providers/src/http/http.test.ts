import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { setupForEachTest } from '../conformance/setup.ts';
import { describeStreaming } from '../conformance/streaming.ts';
import {
  callbackSubmission,
  callbackUrl,
  type Subject,
  secrets,
  submissionOf,
} from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import type { Submission } from '../interface.ts';
import { createHttp } from './http.ts';

const leak = `${secrets.upstream}: the renderer at http://127.0.0.1:5000/x (${secrets.apiKey}) can't run ${secrets.providerModel}`;
const problem = (status: number, code = 'x', headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  json: { error: { message: leak, code } },
});

const common = {
  path: '/generate/{{model}}',
  output: '/result/text',
  usage: { input_tokens: '/tokens/in', output_tokens: '/tokens/out', seconds: '/took' },
  errors: {
    text: '/error/message',
    code: '/error/code',
    field: '/error/field',
    statuses: { '406': 'INPUT_VALIDATION_ERROR' },
    codes: { nsfw: 'CONTENT_MODERATION_REJECTED', full: 'MODEL_OVERLOADED', '17': 'FILE_FORMAT_UNSUPPORTED' },
  },
} as const;

const useless = { state: 'refused' as const, retryAfterMs: null, alerts: true };

const result = { result: { text: 'hello' }, tokens: { in: 3, out: 5 }, took: 1.5 };

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

const streaming: NonNullable<Subject['streaming']> = {
  submission: {
    options: {
      ...common,
      stream: {
        body: { stream: true },
        delta: '/piece',
        done: { events: ['end'] },
        error: { events: ['failed'] },
      },
    },
  },
  start: () => event('start', { id: 'x' }),
  piece: (piece) => event('piece', { piece }),
  end: (_run, { usage }) => event('end', usage ? { tokens: { in: 3, out: 9 } } : {}),
  reportsUsage: true,
  error: (message) => event('failed', { error: { message, code: 'x' } }),
};

const lines: NonNullable<Subject['streaming']> = {
  ...streaming,
  format: 'ndjson',
  submission: {
    options: {
      ...common,
      stream: { format: 'ndjson', delta: '/piece', done: { at: '/over', values: [true] } },
    },
  },
  start: () => '',
  piece: (piece) => `${JSON.stringify({ piece, over: false })}\n`,
  end: (_run, { usage }) =>
    `${JSON.stringify({ over: true, ...(usage && { tokens: { in: 3, out: 9 } }) })}\n`,
  error: (message) => `${JSON.stringify({ error: { message } })}\n`,
};

const values: NonNullable<Subject['streaming']> = {
  ...streaming,
  kind: 'json',
  pieces: [{ page: 'größer' }, { page: '東京 🚢' }],
  output: { pages: 2 },
  submission: {
    ...streaming.submission,
    mapping: { output: { kind: 'raw', pointer: '/all' }, errors: [] },
  },
  end: (_run, { usage }) => event('end', { all: { pages: 2 }, ...(usage && { tokens: { in: 3, out: 9 } }) }),
};

const picture = (base64: string) => `data:image/png;base64,${base64}`;

const partialImages: NonNullable<Subject['streaming']> = {
  ...values,
  kind: 'image',
  pieces: [picture('AAAA'), picture('BBBB')],
  output: { images: [{ url: picture('CCCC') }] },
  submission: {
    ...streaming.submission,
    mapping: { output: { kind: 'images', pointer: '/all' }, errors: [] },
  },
  end: (_run, { usage }) =>
    event('end', { all: [picture('CCCC')], ...(usage && { tokens: { in: 3, out: 9 } }) }),
};

const atOnce: Subject = {
  name: 'http',
  create: createHttp,
  submission: { options: common },
  success: () => ({ status: 200, json: result }),
  outcome: {
    output: { text: 'hello' },
    usage: { inputTokens: 3, outputTokens: 5 },
    measured: { seconds: 1.5 },
  },
  failures: [
    {
      name: 'a status that the options know',
      reply: problem(406),
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
    },
    {
      name: "a code that is the operator's",
      reply: problem(400, 'SERVICE_UNAVAILABLE'),
      ...useless,
      code: 'SERVICE_UNAVAILABLE',
    },
    {
      name: "FastAPI's 422",
      reply: { status: 422, json: { detail: [{ loc: ['body', 'prompt'], msg: leak, type: 'missing' }] } },
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
      says: /: check input\.prompt\.$/,
    },
    {
      name: 'a code that the options know',
      reply: problem(400, 'nsfw'),
      state: 'ended',
      code: 'CONTENT_MODERATION_REJECTED',
    },
    {
      name: 'a code of ours',
      reply: problem(418, 'FILE_NOT_FOUND'),
      state: 'ended',
      code: 'FILE_NOT_FOUND',
    },
    {
      name: 'a code that says to come again',
      reply: problem(400, 'full'),
      state: 'refused',
      busy: true,
      code: 'MODEL_OVERLOADED',
    },
    ...[301, 302, 401, 402, 403, 407].map((status) => ({
      name: `${status}`,
      reply: problem(status),
      ...useless,
      code: 'SERVICE_UNAVAILABLE' as const,
    })),
    { name: '404', reply: problem(404), ...useless, code: 'MODEL_UNAVAILABLE' },
    { name: '405', reply: problem(405), ...useless, code: 'MODEL_UNAVAILABLE' },
    { name: '409', reply: problem(409), state: 'refused', busy: true, code: 'MODEL_OVERLOADED' },
    { name: '429', reply: problem(429), state: 'refused', code: 'MODEL_OVERLOADED' },
    { name: '503', reply: problem(503), state: 'refused', code: 'MODEL_OVERLOADED' },
    { name: '500', reply: problem(500), state: 'ended', code: 'GENERATION_FAILED' },
    { name: '502', reply: problem(502), state: 'unknown', code: 'GENERATION_FAILED' },
    { name: '504', reply: problem(504), state: 'unknown', code: 'GENERATION_TIMEOUT' },
    {
      name: '200 with an error',
      reply: { status: 200, json: { error: { message: leak, code: 17 } } },
      state: 'ended',
      code: 'FILE_FORMAT_UNSUPPORTED',
    },
    {
      name: '202 without a place to ask',
      reply: { status: 202, json: {} },
      state: 'ended',
      code: 'GENERATION_FAILED',
      alerts: true,
    },
  ],
  invalid: (field, text) => ({ status: 400, json: { error: { message: text, field, code: 'x' } } }),
  empty: [
    { status: 200, json: {} },
    { status: 200, json: { result: { text: 5 } } },
    { status: 204, text: '' },
  ],
  recovery: 'impossible',
  streaming,
};

const job = (id: string, status: string, part: object = {}) => ({ job: { id, status }, ...part });
const polled = (id: string, status: string, part: object = {}): Reply => ({
  status: 200,
  json: job(id, status, part),
});

const { success: _atOnce, ...withoutSuccess } = atOnce;
const later: Subject = {
  ...withoutSuccess,
  submission: {
    options: {
      ...common,
      body: { prompt: '{{input.prompt}}', callback: '{{callback_url}}' },
      id: '/job/id',
      status: { at: '/job/status', done: ['ok'], failed: ['error'], running: ['new', 'busy'] },
      poll: { path: '/jobs/{{id}}' },
      cancel: { path: '/jobs/{{id}}/stop' },
      recover: { path: '/jobs/by-token/{{token}}' },
      progress: '/percent',
      progress_of: 100,
      queue_position: '/ahead',
      logs: '/log',
    },
  },
  failures: atOnce.failures.filter(({ name }) => !name.startsWith('20')),
  empty: [
    { status: 200, json: job('x', 'ok') },
    { status: 200, json: job('x', 'what') },
  ],
  recovery: {
    running: ({ id }) => [polled(id, 'busy')],
    ended: ({ id }) => [polled(id, 'ok', result)],
    absent: () => [{ status: 404 }],
  },
  asyncRuns: {
    accepted: ({ id }) => ({ status: 202, json: job(id, 'new') }),
    running: ({ id }) => [polled(id, 'busy')],
    succeeded: ({ id }) => [polled(id, 'ok', result)],
    failures: [
      {
        name: 'a failure',
        replies: ({ id }) => [polled(id, 'error', { error: { message: leak, code: 'x' } })],
        code: 'GENERATION_FAILED',
        says: /^The model failed to generate a result\.$/,
      },
      {
        name: 'a failure with a code',
        replies: ({ id }) => [polled(id, 'error', { error: { message: leak, code: 'nsfw' } })],
        code: 'CONTENT_MODERATION_REJECTED',
      },
      { name: '404', replies: () => [{ status: 404 }], code: 'GENERATION_FAILED', says: /lost/ },
    ],
    withProgress: {
      replies: ({ id }) => [polled(id, 'busy', { percent: 40, ahead: 2, log: ['one', 'two'] })],
      reported: { progress: 0.4, queuePosition: 2, logs: 'one\ntwo' },
    },
    cancel: { method: 'POST', path: ({ externalId }) => `/jobs/${externalId}/stop` },
    callbacks: {
      ended: (id) => job(id, 'ok', result),
      failed: (id) => job(id, 'error', { error: { message: leak } }),
      notEnded: (id) => job(id, 'busy'),
    },
  },
};

const joined: Subject = {
  ...atOnce,
  submission: { options: { ...common, idempotency_header: 'Idempotency-Key' } },
  recovery: 'submits again',
};

describe('a server that responds with the result', () => describeConformance(atOnce));
describe.each([
  ['lines of JSON', lines],
  ['JSON values', values],
  ['partial images', partialImages],
])('a server that streams %s', (_name, given) => {
  const subject = { ...atOnce, streaming: given };
  describeStreaming(subject, setupForEachTest(subject));
});
describe('a server that is polled or calls back', () => describeConformance(later));
describe('a server with idempotency keys', () => describeConformance(joined));

const { signal } = new AbortController();

async function conversation(
  part: Partial<Submission>,
  replies: Reply[],
  settings: Record<string, string> = {},
) {
  const fakeServer = await startFakeServer();
  const provider = createHttp({ baseUrl: `${fakeServer.baseUrl}/base`, apiKey: secrets.apiKey, settings });
  fakeServer.reply(...replies);
  const submission = submissionOf(atOnce, part);
  const progress = await provider.submit(submission, signal);
  return {
    progress,
    provider,
    submission,
    received: fakeServer.received,
    reply: fakeServer.reply,
    async close() {
      provider.close();
      await fakeServer.close();
    },
  };
}

describe('the request', () => {
  it('is built from the templates of the model', async () => {
    const { received, close } = await conversation(
      {
        input: { prompt: 'a/b ü', n: 2, size: { w: 3 }, frames: ['a', 'b'] },
        options: {
          method: 'PUT',
          path: '/v2/{{input.prompt}}?run={{token}}',
          headers: { 'X-Kind': 'image', Authorization: { from: 'TOKEN', prefix: 'Token ' } },
          body: {
            text: 'say {{input.prompt}}',
            n: '{{input.n}}',
            all: ['{{input.size}}', '{{input.none}}'],
            none: '{{input.none}}',
            call: '{{callback_url}}',
            count: '{{input.frames.length}}',
            last: 'of {{input.frames.length}}: {{input.frames.1}}',
          },
          idempotency_header: 'Idempotency-Key',
        },
      },
      [{ status: 200, json: {} }],
      { TOKEN: 'from-the-environment' },
    );
    expect(received).toMatchObject([
      {
        method: 'PUT',
        path: '/base/v2/a%2Fb%20%C3%BC?run=token-of-the-attempt',
        headers: {
          'x-kind': 'image',
          authorization: 'Token from-the-environment',
          'idempotency-key': 'token-of-the-attempt',
        },
      },
    ]);
    expect(received[0]?.json).toEqual({
      text: 'say a/b ü',
      n: 2,
      all: [{ w: 3 }, null],
      count: 2,
      last: 'of 2: b',
    });
    await close();
  });

  it('is a form with the bytes of files if the model says so', async () => {
    const file = {
      path: ['picture'],
      filename: 'a.png',
      contentType: 'image/png',
      sizeBytes: 5,
      open: async () => Readable.from([Buffer.from('bytes')]),
    };
    const options = { path: '/', body_as: 'form', body: { image: '{{input.picture}}', n: '{{input.n}}' } };
    const part = { input: { picture: 'file_1', n: 2 }, parts: [file], options };
    const { received, close } = await conversation(part, [{ status: 200 }]);
    expect(received[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    const sent = String(received[0]?.json);
    expect(sent).toMatch(/name="image"; filename="a.png"\r\ncontent-type: image\/png\r\n\r\nbytes\r\n/);
    expect(sent).toMatch(/name="n"\r\n\r\n2\r\n/);
    await close();
  });

  it('keeps the digits of long integers, and so does the output', async () => {
    const seed = 2n ** 64n - 1n;
    const options = {
      path: '/',
      body: { seed: '{{input.seed}}', name: 'seed {{input.seed}}' },
      output: '/used',
    };
    const mapping = { output: { kind: 'raw' as const }, errors: [] };
    const part = { input: { seed }, mapping, options };
    const { received, progress, close } = await conversation(part, [
      { status: 200, text: `{"used":{"seed":${seed}}}` },
    ]);
    expect(received[0]?.json).toEqual({ seed, name: `seed ${seed}` });
    expect(progress).toMatchObject({ outcome: { output: { seed } } });
    await close();
  });

  it('is the input by default', async () => {
    const { received, close } = await conversation({ options: { path: '/' } }, [{ status: 200 }]);
    expect(received[0]).toMatchObject({ method: 'POST', path: '/base/', json: { prompt: 'hello' } });
    await close();
  });

  it.each([
    ['a setting that is missing', { path: '/', headers: { 'x-a': { from: 'TOKEN' } } }, /no setting TOKEN/],
    ['invalid options', { path: 5 }, /options .* invalid/],
  ])('is not sent with %s', async (_what, options, alert) => {
    const { progress, received, close } = await conversation({ options }, [{ status: 200 }]);
    expect(progress).toMatchObject({
      state: 'refused',
      retryAfterMs: null,
      alert: expect.stringMatching(alert),
    });
    expect(received).toEqual([]);
    await close();
  });

  it('cannot be led to another path by the input', async () => {
    const part = { input: { name: '..' }, options: { path: '/models/{{input.name}}/run' } };
    const { progress, received, close } = await conversation(part, [{ status: 200 }]);
    expect(progress).toMatchObject({ state: 'ended', outcome: { code: 'INPUT_VALIDATION_ERROR' } });
    expect(received).toEqual([]);
    await close();
  });
});

describe('a polled run', () => {
  const options = {
    path: '/jobs',
    poll: { every_s: 7 },
    cancel: { method: 'DELETE', path: '/jobs/{{id}}' },
    id: '/id',
  };
  const submitted = (location: string, part: object = {}) =>
    conversation({ mode: 'poll', options: { ...options, ...part } }, [
      { status: 202, headers: { location }, json: { id: 8 } },
    ]);

  it.each([
    ['/queue/8', '/queue/8'],
    ['8?x=1', '/8?x=1'],
  ])('is polled at the Location %s', async (location, path) => {
    const { progress, provider, submission, received, reply, close } = await submitted(location);
    if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
    expect(progress).toMatchObject({ by: 'poll', pollAfterMs: 7000, handle: { externalId: '8' } });
    reply({ status: 202, json: {} }, { status: 200, json: 'done' });
    expect(await provider.poll(submission, progress.handle, signal)).toMatchObject({ state: 'running' });
    expect(await provider.poll(submission, progress.handle, signal)).toMatchObject({
      state: 'ended',
      outcome: { output: { text: 'done' } },
    });
    expect(received[1]).toMatchObject({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${secrets.apiKey}` },
    });
    await provider.cancel(progress.handle, signal);
    expect(received.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/base/jobs/8',
      headers: { authorization: `Bearer ${secrets.apiKey}` },
    });
    await close();
  });

  it.each([
    'http://127.0.0.1:1/jobs/8',
    'https://example.com/jobs/8',
    '//example.com/8',
    'file:///etc/passwd',
  ])('is not polled at another host: %s', async (location) => {
    const { progress, close } = await submitted(location);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: false }, alert: expect.anything() });
    await close();
  });

  it('stores no secret in its handle', async () => {
    const { progress, close } = await conversation(
      { mode: 'poll', options: { ...options, headers: { 'x-token': { from: 'TOKEN' } } } },
      [{ status: 202, headers: { location: '/8' }, json: { id: 'a/b' } }],
      { TOKEN: 'from-the-environment' },
    );
    expect(JSON.stringify(progress)).not.toMatch(/from-the-environment|sk-very/);
    expect(progress).toMatchObject({ handle: { cancel: '/base/jobs/a%2Fb' } });
    await close();
  });
});

describe('a signed callback', () => {
  const body = Buffer.from(JSON.stringify(job('8', 'ok', result)));
  const signedBy = (secret: string, text: string | Buffer, encoding: 'hex' | 'base64') =>
    createHmac('sha256', secret).update(text).digest(encoding);
  const read = (signature: object, headers: Record<string, string>, settings: Record<string, string>) => {
    const provider = createHttp({ baseUrl: 'http://127.0.0.1:9', apiKey: null, settings });
    const options = { ...later.submission.options, callback: { signature } };
    const run = { ...submissionOf(later, { options }), handle: null };
    return provider.readCallback({ headers, body, receivedAtMs: Date.now() }, run);
  };
  const settings = { CALLBACK_SECRET: 'a secret of both' };
  const plain = { header: 'X-Hub-Signature', prefix: 'sha256=' };

  it('is accepted as hex with a prefix, or as base64 with a timestamp', async () => {
    const hex = `sha256=${signedBy(settings.CALLBACK_SECRET, body, 'hex')}`;
    expect(await read(plain, { 'x-hub-signature': hex }, settings)).toMatchObject({ state: 'ended' });
    const atS = String(Math.floor(Date.now() / 1000));
    const base64 = signedBy(settings.CALLBACK_SECRET, `${atS}.${body.toString()}`, 'base64');
    const timed = { header: 'x-sig', encoding: 'base64', timestamp_header: 'X-Time' };
    expect(await read(timed, { 'x-sig': base64, 'x-time': atS }, settings)).toMatchObject({ state: 'ended' });
    expect(await read(timed, { 'x-sig': base64, 'x-time': '5' }, settings)).toBeNull();
    expect(await read(timed, { 'x-sig': base64 }, settings)).toBeNull();
  });

  it.each([
    ['by another secret', { 'x-hub-signature': `sha256=${signedBy('another secret', body, 'hex')}` }],
    ['of another body', { 'x-hub-signature': `sha256=${signedBy('a secret of both', 'x', 'hex')}` }],
    ['without its prefix', { 'x-hub-signature': signedBy('a secret of both', body, 'hex') }],
    ['not at all', {}],
  ])('that is signed %s is refused', async (_how, headers) => {
    expect(await read(plain, headers as Record<string, string>, settings)).toBeNull();
  });

  it('is pending until the operator sets the secret, and no run starts without it', async () => {
    expect(await read(plain, {}, {})).toBe('later');
    const called = { ...callbackSubmission(later), options: { path: '/', callback: { signature: plain } } };
    const { progress, received, close } = await conversation(called, [{ status: 202 }]);
    expect(progress).toMatchObject({ state: 'refused', alert: expect.stringContaining('CALLBACK_SECRET') });
    expect(received).toEqual([]);
    await close();
  });
});

describe('a callback', () => {
  const options = {
    path: '/',
    body: { to: '{{callback_url}}' },
    id: '/id',
    poll: { path: '/jobs/{{id}}' },
    output: '/text',
  };

  it('without the result causes a poll of its own run', async () => {
    const called = { mode: 'callback' as const, callbackUrl, options };
    const { progress, provider, submission, received, close } = await conversation(called, [
      { status: 200, json: { id: 'j1' } },
    ]);
    if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
    expect(progress).toMatchObject({ by: 'callback', handle: { externalId: 'j1', poll: '/base/jobs/j1' } });
    expect(received[0]?.json).toEqual({ to: callbackUrl });
    const read = (json: object) =>
      provider.readCallback(
        { headers: {}, body: Buffer.from(JSON.stringify(json)), receivedAtMs: Date.now() },
        { ...submission, handle: progress.handle },
      );
    expect(await read({ id: 'j1' })).toBe('poll');
    expect(await read({ id: 'j2' })).toBeNull();
    expect(await read({ id: 'j1', text: 'done' })).toMatchObject({ state: 'ended' });
    await close();
  });
});
