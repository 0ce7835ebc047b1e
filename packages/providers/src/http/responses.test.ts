import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { type Subject, secrets, submissionOf } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import type { Handle, Progress, Provider, Submission } from '../interface.ts';
import { createHttp } from './http.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const { signal } = new AbortController();
const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

type Example = { fakeServer: FakeServer; provider: Provider; submission: Submission };

async function startExample(options: object, part: Partial<Submission> = {}): Promise<Example> {
  const fakeServer = await startFakeServer();
  const provider = createHttp({ baseUrl: fakeServer.baseUrl, apiKey: secrets.apiKey, settings: {} });
  open.push(provider, fakeServer);
  const submission = submissionOf({ submission: { options: { path: '/run', ...options }, ...part } });
  return { fakeServer, provider, submission };
}

/** The handle of a running run. */
function handleIn(progress: Progress): Handle {
  if (progress.state !== 'running') throw new Error(JSON.stringify(progress));
  return progress.handle;
}

/** Submits a run and polls it with these replies; returns the result of the last poll. */
async function polled(options: object, replies: Reply[], part: Partial<Submission> = {}) {
  const { fakeServer, provider, submission } = await startExample(
    { id: '/id', poll: { path: '/runs/{{id}}' }, ...options },
    { mode: 'poll', ...part },
  );
  fakeServer.reply({ status: 202, json: { id: 'r1' } });
  const handle = handleIn(await provider.submit(submission, signal));
  fakeServer.received.length = 0;
  fakeServer.reply(...replies);
  const ask = (last: Handle) => provider.poll(submission, last, signal);
  return { progress: await ask(handle), ask, handle, fakeServer };
}

const status = { at: '/state', done: ['ok'], failed: ['bad'] };
const result = { path: '/runs/{{id}}/result' };

const elsewhere: Subject = {
  name: 'http',
  create: createHttp,
  submission: {
    mode: 'poll',
    options: {
      path: '/run',
      id: '/id',
      status,
      poll: { path: '/runs/{{id}}' },
      result,
      output: '/text',
      errors: { text: '$..message', code: '/code', codes: { nsfw: 'CONTENT_MODERATION_REJECTED' } },
      cancel: { path: '/runs/{{id}}/stop' },
      recover: { path: '/by-token/{{token}}' },
    },
  },
  outcome: { output: { text: 'hello' } },
  failures: [
    {
      name: '401',
      reply: { status: 401 },
      state: 'refused',
      code: 'SERVICE_UNAVAILABLE',
      retryAfterMs: null,
      alerts: true,
    },
    { name: '503', reply: { status: 503 }, state: 'refused', code: 'MODEL_OVERLOADED', busy: true },
  ],
  // As FastAPI says it, which BentoML and Gradio are made with.
  invalid: (field, msg) => ({ status: 422, json: { detail: [{ loc: ['body', field], msg }] } }),
  empty: [],
  recovery: {
    running: ({ id }) => [{ status: 200, json: { id, state: 'queued' } }],
    ended: ({ id }) => [
      { status: 200, json: { id, state: 'ok' } },
      { status: 200, json: { text: 'hello' } },
    ],
    absent: () => [{ status: 404 }],
  },
  asyncRuns: {
    accepted: ({ id }) => ({ status: 200, json: { id, state: 'queued' } }),
    running: () => [{ status: 200, json: { state: 'queued' } }],
    succeeded: () => [
      { status: 200, json: { state: 'ok' } },
      { status: 200, json: { text: 'hello' } },
    ],
    failures: [
      {
        name: 'a failure whose words are at the result',
        replies: () => [
          { status: 200, json: { state: 'bad' } },
          { status: 400, json: [{ message: 'no', code: 'x' }] },
        ],
        code: 'GENERATION_FAILED',
      },
      {
        name: 'a failure with a code at the result',
        replies: () => [
          { status: 200, json: { state: 'bad' } },
          { status: 500, json: { code: 'nsfw' } },
        ],
        code: 'CONTENT_MODERATION_REJECTED',
      },
      {
        name: 'a result that is gone',
        replies: () => [{ status: 200, json: { state: 'ok' } }, { status: 404 }],
        code: 'GENERATION_FAILED',
        says: /lost/,
      },
    ],
    cancel: { method: 'POST', path: ({ externalId }) => `/runs/${externalId}/stop` },
  },
};

const stream = (...events: [string, unknown][]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  text: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
});

const listening: Subject = {
  ...elsewhere,
  submission: {
    mode: 'poll',
    options: {
      path: '/call',
      id: '/event_id',
      poll: { path: '/call/{{id}}', events: { done: ['complete'], failed: ['error'] } },
      output: '/0',
      errors: { text: '/error' },
      cancel: { path: '/cancel', body: { event: '{{id}}' } },
    },
  },
  recovery: 'impossible',
  asyncRuns: {
    accepted: ({ id }) => ({ status: 200, json: { event_id: id } }),
    running: () => ['half a body'],
    succeeded: () => [stream(['heartbeat', null], ['generating', ['hel']], ['complete', ['hello']])],
    failures: [
      {
        name: 'an event that says what went wrong',
        replies: () => [stream(['error', { error: 'no' }])],
        code: 'GENERATION_FAILED',
      },
      {
        name: 'an end without a result',
        replies: () => [stream(['complete', null])],
        code: 'GENERATION_FAILED',
      },
      { name: '404', replies: () => [{ status: 404 }], code: 'GENERATION_FAILED', says: /lost/ },
    ],
    cancel: { method: 'POST', path: () => '/cancel' },
  },
};

describe('a server with separate result URLs', () => describeConformance(elsewhere));
describe('a server with event streams', () => describeConformance(listening));

describe('a result with its own URL', () => {
  it('is read from the URL in the response, with the headers of the model', async () => {
    const { progress, fakeServer } = await polled(
      { status, result: { at: '/links/result' }, headers: { 'x-kind': 'a' } },
      [
        { status: 200, json: { state: 'ok', links: { result: '/results/7?x=1' } } },
        { status: 200, json: 'hello' },
      ],
    );
    expect(progress).toMatchObject({ state: 'ended', outcome: { output: { text: 'hello' } } });
    expect(fakeServer.received[1]).toMatchObject({ path: '/results/7?x=1', headers: { 'x-kind': 'a' } });
  });

  it.each(['https://example.com/r', 'http://127.0.0.1:1/r', '//example.com/r', 'file:///etc/passwd', ''])(
    'is not read from another origin: %j',
    async (url) => {
      const { progress, fakeServer } = await polled({ status, result: { header: 'X-Result' } }, [
        { status: 200, headers: { 'x-result': url }, json: { state: 'ok' } },
      ]);
      expect(progress).toMatchObject({
        state: 'ended',
        outcome: { ok: false, code: 'GENERATION_FAILED' },
        alert: expect.stringContaining('origin'),
      });
      expect(fakeServer.received).toHaveLength(1);
    },
  );

  it('that is not available yet is requested again, up to the limit of unclear responses', async () => {
    const { progress, ask } = await polled({ status, result, poll: { path: '/r', max_failures: 2 } }, [
      { status: 200, json: { state: 'ok' } },
      { status: 400, json: { error: 'not completed yet' } },
      { status: 200, json: { state: 'ok' } },
      { status: 400, json: { error: 'not completed yet' } },
    ]);
    expect(await ask(handleIn(progress))).toMatchObject({ state: 'ended', outcome: { ok: false } });
  });
});

describe('an unclear response to a poll', () => {
  const page: Reply = { status: 200, text: '<html>' };

  it.each<[string, object, Reply]>([
    ['a 500', {}, { status: 500, text: 'Internal Server Error' }],
    ['a refusal', {}, { status: 401 }],
    ['a page', {}, page],
    ['JSON without the status', { status }, { status: 200, json: { error: 'x' } }],
    [
      'a status that is not known',
      { status: { ...status, running: ['new'] } },
      { status: 200, json: { state: 'x' } },
    ],
    [
      'another status of HTTP than those of the model',
      { status: { codes: { done: [201] } } },
      { status: 500 },
    ],
  ])('fails the run after five in a row: %s', async (_what, options, reply) => {
    const { progress: first, ask } = await polled(options, [reply]);
    let progress = first;
    const pausesMs: number[] = [];
    while (progress.state === 'running') {
      pausesMs.push(progress.pollAfterMs);
      progress = await ask(progress.handle);
    }
    expect(pausesMs).toEqual([2000, 4000, 8000, 16_000]);
    expect(progress).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED' },
      alert: expect.stringContaining('5 polls'),
    });
  });

  it('is no longer counted after a clear one', async () => {
    const { progress, ask, handle } = await polled({ status }, [
      { status: 500 },
      { status: 200, json: { state: 'queued' } },
    ]);
    const failing = handleIn(progress);
    expect(failing).toEqual({ ...handle, failures: '1' });
    expect(handleIn(await ask(failing))).toEqual(handle);
  });

  it.each<Reply>([{ status: 503 }, { status: 429 }, { status: 502 }, 'reset'])(
    'does not count when the server is busy or unavailable: %j',
    async (reply) => {
      const { progress, handle } = await polled({ poll: { path: '/r', max_failures: 1 } }, [reply]);
      expect(handleIn(progress)).toEqual(handle);
    },
  );

  it('delays the next poll as long as a busy server requests', async () => {
    const busy: Reply = { status: 503, headers: { 'retry-after': '9' } };
    expect((await polled({}, [busy])).progress).toMatchObject({ state: 'running', pollAfterMs: 9000 });
  });

  it('causes a cancel at the server when the run is given up', async () => {
    const options = {
      poll: { path: '/r', max_failures: 1 },
      cancel: { path: '/stop', body: { run: '{{id}}' } },
    };
    const { fakeServer } = await polled(options, [{ status: 500 }, { status: 200 }]);
    expect(fakeServer.received).toMatchObject([
      { method: 'GET', path: '/r' },
      { method: 'POST', path: '/stop', json: { run: 'r1' } },
    ]);
  });
});

describe('a poll by POST', () => {
  it.each([
    [{ method: 'POST', path: '/runs/{{id}}' }, { path: '/runs/r1' }],
    [
      { method: 'POST', path: '/fetch', body: { name: '{{id}}', n: 1 } },
      { path: '/fetch', json: { name: 'r1', n: 1 } },
    ],
  ])('is sent as %j', async (poll, request) => {
    const replies = [{ status: 200, json: { state: 'ok', o: 'hello' } }];
    const { progress, fakeServer } = await polled({ poll, status, output: '/o' }, replies);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true, output: { text: 'hello' } } });
    expect(fakeServer.received).toMatchObject([{ method: 'POST', ...request }]);
  });
});

describe('HTTP statuses that mean a run status', () => {
  const codes = { done: [303], failed: [500], running: [404, 200] };

  it.each<[string, Reply, object]>([
    ['running', { status: 404 }, { state: 'running' }],
    ['running', { status: 200, json: 'hello' }, { state: 'running' }],
    ['done', { status: 303, json: 'hello' }, { state: 'ended', outcome: { ok: true } }],
    ['failed', { status: 500, json: { error: 'no' } }, { state: 'ended', outcome: { ok: false } }],
  ])('%s: %j', async (_standing, reply, expected) => {
    const { progress } = await polled({ status: { codes }, errors: { text: '/error' } }, [reply]);
    expect(progress).toMatchObject(expected);
  });

  it('take precedence over the body', async () => {
    const both = { ...status, codes: { failed: [200] } };
    const { progress } = await polled({ status: both }, [{ status: 200, json: { state: 'ok' } }]);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: false } });
  });
});

describe('places', () => {
  const tensors = {
    outputs: [
      { name: 'score', data: [0.5] },
      { name: 'text', data: ['hello'] },
    ],
  };

  it('may be JSONPaths', async () => {
    const { fakeServer, provider, submission } = await startExample({
      output: "$.outputs[?@.name == 'text'].data[0]",
      usage: { seconds: '$.took' },
    });
    fakeServer.reply({ status: 200, json: { ...tensors, took: 2 } });
    expect(await provider.submit(submission, signal)).toMatchObject({
      outcome: { output: { text: 'hello' }, measured: { seconds: 2 } },
    });
  });

  it('that match several values return all of them', async () => {
    const { fakeServer, provider, submission } = await startExample(
      { output: '$.outputs[*].name' },
      { mapping: { output: { kind: 'raw' }, errors: [] } },
    );
    fakeServer.reply({ status: 200, json: tensors });
    expect(await provider.submit(submission, signal)).toMatchObject({
      outcome: { output: { output: ['score', 'text'] } },
    });
  });
});

describe('the files of an output', () => {
  const base64 = png.toString('base64');
  const data = `data:application/octet-stream;base64,${base64}`;
  const graph = { 9: { images: [{ filename: 'a b.png', subfolder: '', type: 'output' }] } };
  const view = '/view?filename={{item.filename}}&subfolder={{item.subfolder}}&type={{item.type}}';

  const outputOf = async (json: object, options: object, output: object = { kind: 'images' }) => {
    const mapping = { output: { kind: 'images' as const, ...output }, errors: [] };
    const { fakeServer, provider, submission } = await startExample(options, { mapping });
    fakeServer.reply({ status: 200, json });
    const progress = await provider.submit(submission, signal);
    const { origin } = new URL(fakeServer.baseUrl);
    if (progress.state !== 'ended') throw new Error(JSON.stringify(progress));
    const { outcome } = progress;
    return JSON.parse(JSON.stringify(outcome.ok ? outcome.output : outcome).replaceAll(origin, 'own:'));
  };

  it.each<[string, object, object, string[]]>([
    ['base64 without a type', { images: [base64, base64] }, { output: '/images' }, [data, data]],
    [
      'base64 of a JPEG, which begins like a path',
      { i: `/9j/${base64}` },
      { output: '/i' },
      [`data:application/octet-stream;base64,/9j/${base64}`],
    ],
    ['a data URL where base64 is usual', { i: { b64_json: data } }, { output: '/i' }, [data]],
    ['a path of the server', { i: '/out/a.png?x=1' }, { output: '/i' }, ['own:/out/a.png?x=1']],
    ['a path without a slash', { i: [{ url: 'out/a b.png' }] }, { output: '/i' }, ['own:/out/a%20b.png']],
    [
      'parts of a URL',
      graph,
      { output: '$.*.images[*]', output_url: view },
      ['own:/view?filename=a%20b.png&subfolder=&type=output'],
    ],
    [
      'names',
      { i: ['a.png', 'b.png'] },
      { output: '/i', output_url: '/files/{{item}}' },
      ['own:/files/a.png', 'own:/files/b.png'],
    ],
    [
      'one that was filtered out',
      { i: [null, 'https://a.example/b'] },
      { output: '/i' },
      ['https://a.example/b'],
    ],
  ])('may be %s', async (_what, json, options, urls) => {
    expect(await outputOf(json, options)).toEqual({ images: urls.map((url) => ({ url })) });
  });

  it.each([
    ['a message', 'Something went wrong'],
    ['nothing but nulls', [null]],
    ['another scheme', 's3://bucket/a.png'],
    ['a file of the machine', 'file:///etc/passwd'],
    ['a name that would lead elsewhere', '..'],
  ])('are not %s', async (_what, i) => {
    const options = { output: '/i', ...(i === '..' && { output_url: '/files/{{item}}' }) };
    expect(await outputOf({ i }, options)).toMatchObject({ code: 'GENERATION_FAILED' });
  });

  it('of raw output are where the model says', async () => {
    const json = { answer: { image: base64, path: '/a.png', source: 'https://news.example/1' }, n: [base64] };
    const output = { kind: 'raw', files: ['/answer/image', '$..path', '/none'] };
    expect(await outputOf(json, {}, output)).toEqual({
      ...json,
      answer: { ...json.answer, image: data, path: 'own:/a.png' },
    });
  });
});

it('a prompt that is too long is the fault of the client, wherever the server says so', async () => {
  const { fakeServer, provider, submission } = await startExample({});
  const error = 'Input validation error: `inputs` must have less than 512 tokens. Given: 700';
  const outcome = { code: 'INPUT_VALIDATION_ERROR', message: 'The input is too long for the model.' };
  for (const [status, json] of [
    [422, { error, error_type: 'validation' }],
    [500, { error: { message: error } }],
  ] as const) {
    fakeServer.reply({ status, json });
    expect(await provider.submit(submission, signal)).toMatchObject({ state: 'ended', outcome });
  }
});

describe('a rule on the output', () => {
  const when = (at: string, equals: unknown = true) => [
    { when: { at, equals }, code: 'CONTENT_MODERATION_REJECTED' as const },
  ];

  it.each([
    [{ nsfw: [false, true] }, when('/nsfw'), false],
    [{ nsfw: [false] }, when('/nsfw'), true],
    [{ nsfw: 'true' }, when('/nsfw'), true],
    [{ safety: { verdict: 'BLOCK' } }, when('/safety/verdict', 'BLOCK'), false],
    [{}, when('/nsfw'), true],
  ])('decides for %j by %j whether the run succeeded: %s', async (json, errors, ok) => {
    const mapping = { output: { kind: 'raw' as const }, errors } as Submission['mapping'];
    const { fakeServer, provider, submission } = await startExample({}, { mapping });
    fakeServer.reply({ status: 200, json });
    const failed = { ok: false, code: 'CONTENT_MODERATION_REJECTED', raw: JSON.stringify(json) };
    const progress = await provider.submit(submission, signal);
    expect(progress).toMatchObject({ state: 'ended', outcome: ok ? { ok } : failed });
  });
});

describe('a cost in a header', () => {
  it('is read exactly if the model names the header', async () => {
    const { fakeServer, provider, submission } = await startExample({ usage: { cost_header: 'X-Cost' } });
    fakeServer.reply({ status: 200, headers: { 'x-cost': '2.1e-05' }, json: 'hello' });
    expect(await provider.submit(submission, signal)).toMatchObject({
      outcome: { measured: { cost: '2.1e-05' } },
    });
  });
});

describe('a text response', () => {
  const plain: Reply = { status: 200, headers: { 'content-type': 'text/plain' }, text: 'hello x' };

  it('is the output of a model with response_as: text', async () => {
    const { fakeServer, provider, submission } = await startExample({ response_as: 'text' });
    fakeServer.reply(plain);
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { output: { text: 'hello x' } },
    });
    expect(fakeServer.received[0]?.headers.accept).toContain('text/plain');
  });

  it('fails the run of any other model, and the operator reads what to set', async () => {
    const { fakeServer, provider, submission } = await startExample({});
    fakeServer.reply(plain);
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { ok: false },
      alert: expect.stringContaining('response_as'),
    });
  });

  it('may be the result of a polled run', async () => {
    const text = { response_as: 'text' };
    const { progress } = await polled(text, [plain]);
    expect(progress).toMatchObject({ outcome: { output: { text: 'hello x' } } });
  });
});

describe('a file response', () => {
  const images = { mapping: { output: { kind: 'images' as const }, errors: [] } };
  const picture: Reply = { status: 200, headers: { 'content-type': 'image/png' }, bytes: png };

  function bodyIn(progress: Progress) {
    if (progress.state !== 'ended' || !progress.outcome.ok) throw new Error(JSON.stringify(progress));
    const [body] = progress.bodies ?? [];
    if (body === undefined) throw new Error('it came without its bytes');
    expect(JSON.stringify(progress.outcome.output)).toContain(body.reference);
    return body;
  }

  it('is the output, and can be read again if it is small', async () => {
    const { fakeServer, provider, submission } = await startExample({ response_as: 'file' }, images);
    fakeServer.reply(picture);
    const body = bodyIn(await provider.submit(submission, signal));
    expect(body).toMatchObject({ contentType: 'image/png', sizeBytes: png.length });
    expect(await buffer(await body.open(signal))).toEqual(png);
    expect(await buffer(await body.open(signal))).toEqual(png);
  });

  it('is streamed and read once if its size is unknown, because the run is not submitted again', async () => {
    const { fakeServer, provider, submission } = await startExample({ response_as: 'file' }, images);
    fakeServer.reply({
      ...picture,
      headers: { 'content-type': 'image/png', 'transfer-encoding': 'chunked' },
    });
    const body = bodyIn(await provider.submit(submission, signal));
    expect(body.sizeBytes).toBeNull();
    expect(await buffer(await body.open(signal))).toEqual(png);
    await expect(body.open(signal)).rejects.toThrow('again');
    expect(fakeServer.received).toHaveLength(1);
  });

  it('is requested again if it has a URL', async () => {
    const chunked = { 'content-type': 'image/png', 'transfer-encoding': 'chunked' };
    const replies: Reply[] = [
      { status: 200, json: { state: 'ok' } },
      { ...picture, headers: chunked },
    ];
    const { progress, fakeServer } = await polled({ status, result, response_as: 'file' }, replies, images);
    const body = bodyIn(progress);
    (await body.open(signal)).destroy();
    expect(await buffer(await body.open(signal))).toEqual(png);
    expect(fakeServer.received.map(({ path }) => path)).toEqual([
      '/runs/r1',
      '/runs/r1/result',
      '/runs/r1/result',
    ]);
  });

  it('is not read as a file if the status is an error', async () => {
    const { fakeServer, provider, submission } = await startExample({ response_as: 'file' }, images);
    fakeServer.reply({ status: 500, json: { error: 'no' } });
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED' },
    });
  });

  it('is not read as text', async () => {
    const { fakeServer, provider, submission } = await startExample({ response_as: 'file' });
    fakeServer.reply(picture);
    expect(await provider.submit(submission, signal)).toMatchObject({ outcome: { ok: false } });
  });
});

describe('a form response', () => {
  const boundary = 'b0undary';
  const part = (head: string, body: string | Buffer) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')]);
  const form = Buffer.concat([
    part('content-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png', png),
    part('content-disposition: form-data; name="tokens"', '7'),
    part('content-disposition: form-data; name="tag"', 'a'),
    part('content-disposition: form-data; name="tag"', 'b'),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const response: Reply = {
    status: 200,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    bytes: form,
  };
  const options = { response_as: 'multipart', usage: { input_tokens: '/tokens' } };

  it('has its parts as properties, including files', async () => {
    const mapping = { output: { kind: 'images' as const, pointer: '/image' }, errors: [] };
    const { fakeServer, provider, submission } = await startExample(options, { mapping });
    fakeServer.reply(response);
    const progress = await provider.submit(submission, signal);
    expect(progress).toMatchObject({ outcome: { ok: true, usage: { inputTokens: 7 } } });
    const [body] = (progress.state === 'ended' && progress.bodies) || [];
    expect(body && (await buffer(await body.open(signal)))).toEqual(png);
  });

  it('has a list for several parts of the same name', async () => {
    const mapping = { output: { kind: 'text' as const, pointer: '/tag' }, errors: [] };
    const { fakeServer, provider, submission } = await startExample(options, { mapping });
    fakeServer.reply(response);
    expect(await provider.submit(submission, signal)).toMatchObject({ outcome: { output: { text: 'ab' } } });
  });

  it.each<Reply>([
    { ...response, bytes: form.subarray(0, 60) },
    { status: 200, json: { tag: 'a' } },
    { status: 200, headers: { 'content-type': 'multipart/form-data' }, text: 'x' },
  ])('is a failure when it is malformed (%#)', async (reply) => {
    const { fakeServer, provider, submission } = await startExample(options);
    fakeServer.reply(reply);
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { ok: false },
    });
  });
});

describe('a run with an event stream', () => {
  const options = {
    id: '/event_id',
    poll: { path: '/call/{{id}}', events: { done: ['complete'], failed: ['error'] }, max_failures: 2 },
    output: '/0',
    cancel: { path: '/cancel', body: { event: '{{id}}' } },
  };
  const accepted: Reply = { status: 200, json: { event_id: 'e1' } };

  it('is read by its submit in mode sync', async () => {
    const { fakeServer, provider, submission } = await startExample(options);
    fakeServer.reply(accepted, stream(['complete', ['hello']]));
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { output: { text: 'hello' }, measured: {} },
    });
    expect(fakeServer.received.map(({ path, headers }) => [path, headers.accept])).toEqual([
      ['/run', 'application/json'],
      ['/call/e1', 'text/event-stream'],
    ]);
  });

  it('continues when the stream breaks off, and fails when it ends twice without an event', async () => {
    const { fakeServer, provider, submission } = await startExample(options);
    fakeServer.reply(accepted, 'half a body');
    const handle = handleIn(await provider.submit(submission, signal));
    fakeServer.reply(stream(['generating', ['h']]));
    const silent = handleIn(await provider.poll(submission, handle, signal));
    expect(silent).toEqual({ ...handle, failures: '1' });
    expect(await provider.poll(submission, silent, signal)).toMatchObject({
      state: 'ended',
      outcome: { ok: false },
    });
  });

  it('is cancelled at the server when its submit is aborted, because no other dispatcher knows the run', async () => {
    const { fakeServer, provider, submission } = await startExample(options);
    fakeServer.reply(accepted, 'silence', { status: 200 });
    const abort = new AbortController();
    const running = provider.submit(submission, abort.signal);
    while (fakeServer.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await running;
    expect(fakeServer.received[2]).toMatchObject({ path: '/cancel', json: { event: 'e1' } });
  });

  it('goes on when a poll is aborted, because another dispatcher polls it next', async () => {
    const { fakeServer, provider, submission } = await startExample(options);
    const polled = { ...submission, mode: 'poll' as const };
    fakeServer.reply(accepted);
    const handle = handleIn(await provider.submit(polled, signal));
    fakeServer.reply('silence', { status: 200 });
    const abort = new AbortController();
    const polling = provider.poll(polled, handle, abort.signal);
    while (fakeServer.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await polling).toMatchObject({ state: 'running' });
    expect(fakeServer.received.map(({ path }) => path)).toEqual(['/run', '/call/e1']);
  });

  it('fails on an event that is too large', async () => {
    const { fakeServer, provider, submission } = await startExample(options);
    fakeServer.reply(accepted, stream(['generating', 'x'.repeat(9 * 1024 * 1024)]));
    expect(await provider.submit(submission, signal)).toMatchObject({
      state: 'ended',
      outcome: { message: 'The output of the model is too large.' },
    });
  });

  it('may end with a text', async () => {
    const { fakeServer, provider, submission } = await startExample({
      ...options,
      output: '',
      response_as: 'text',
    });
    fakeServer.reply(accepted, {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      text: ': hi\r\nevent: complete\r\ndata: two\r\ndata: lines\r\n\r\n',
    });
    expect(await provider.submit(submission, signal)).toMatchObject({
      outcome: { output: { text: 'two\nlines' } },
    });
  });
});
