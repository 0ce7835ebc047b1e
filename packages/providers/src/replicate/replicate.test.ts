import type { Reply } from '../conformance/fakeServer.ts';
import { acceleratedClock, callbackUrl, type Run, type Subject, secrets } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import type { StreamedBody } from '../conformance/wireServer.ts';
import { createReplicate } from './replicate.ts';
import { fixture, signed } from './testing/fixtures.ts';

const problems = fixture('problems');
const problem = (name: string, status: number, headers = {}): Reply => ({
  status,
  headers,
  json: problems[name],
});
const leak = `Replicate (https://api.replicate.com, ${secrets.apiKey}) cannot run ${secrets.providerModel}`;
const ok = (json: object): Reply => ({ status: 200, json });
const ended = (name: string, part: object) => [ok(fixture(name, part))];
const picture = fixture('succeeded').output;

/** The list that a lost submit is looked for in; `next` leads to more. */
const list = (results: object[], next: string | null = null): Reply => ok({ previous: null, next, results });
const ours = (name: string) => (run: Run) => {
  const other = fixture('succeeded', { id: 'another', webhook: 'https://elsewhere.example/hook' });
  const more = `${run.baseUrl}/predictions?cursor=cD0yMDI1`;
  return [list([other], more), list([other, fixture(name, { webhook: callbackUrl })])];
};

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const subject: Subject = {
  name: 'replicate',
  create: (connection) =>
    createReplicate(connection, { now: acceleratedClock(), wait: async () => undefined }),
  submission: {
    mapping: { output: { kind: 'images' }, errors: [{ match: 'NSFW', code: 'CONTENT_MODERATION_REJECTED' }] },
  },
  success: () => ({ status: 201, json: fixture('succeeded') }),
  outcome: { output: { images: [{ url: picture }] }, measured: { seconds: 5.247161016, images: 1 } },
  failures: [
    {
      name: '422',
      reply: problem('invalidInput', 422),
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
      says: /: check input\.width\.$/,
    },
    {
      name: '422 without a field',
      reply: problem('missingPrompt', 422),
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
      says: /: check input\.prompt\.$/,
    },
    {
      name: '422 of lines',
      reply: { status: 422, json: { detail: `- input.prompt: too long for ${leak}\n- input.n: 3\n` } },
      state: 'ended',
      code: 'INPUT_VALIDATION_ERROR',
      says: /: check input\.prompt\.$/,
    },
    {
      name: '422 about our webhook',
      reply: {
        status: 422,
        json: {
          title: 'Input validation failed',
          detail: `- webhook: ${leak}\n`,
          invalid_fields: [{ type: 'format', field: 'webhook', description: leak }],
        },
      },
      state: 'refused',
      retryAfterMs: null,
      alerts: true,
      code: 'MODEL_UNAVAILABLE',
    },
    {
      name: 'a version that is gone',
      reply: problem('invalidVersion', 422),
      state: 'refused',
      retryAfterMs: null,
      code: 'MODEL_UNAVAILABLE',
      alerts: true,
    },
    ...(['unauthenticated', 'noCredit'] as const).map((name, index) => ({
      name,
      reply: problem(name, 401 + index),
      state: 'refused' as const,
      retryAfterMs: null,
      code: 'SERVICE_UNAVAILABLE' as const,
      alerts: true,
    })),
    {
      name: '403',
      reply: { status: 403, text: leak },
      state: 'refused',
      retryAfterMs: null,
      code: 'SERVICE_UNAVAILABLE',
      alerts: true,
    },
    {
      name: '302',
      reply: { status: 302, headers: { location: '/login' } },
      state: 'refused',
      retryAfterMs: null,
      code: 'SERVICE_UNAVAILABLE',
      alerts: true,
    },
    {
      name: '404',
      reply: problem('notFound', 404),
      state: 'refused',
      retryAfterMs: null,
      code: 'MODEL_UNAVAILABLE',
      alerts: true,
    },
    {
      name: '429 that gives the delay in its body',
      reply: problem('throttled', 429),
      state: 'refused',
      retryAfterMs: 9000,
      code: 'MODEL_OVERLOADED',
    },
    { name: '500', reply: problem('internal', 500), state: 'unknown', code: 'MODEL_UNAVAILABLE' },
    { name: '502', reply: { status: 502, text: leak }, state: 'unknown', code: 'MODEL_UNAVAILABLE' },
    { name: '503', reply: { status: 503, text: leak }, state: 'unknown', code: 'MODEL_UNAVAILABLE' },
    {
      name: 'a run that failed at once',
      reply: { status: 201, json: fixture('failed', { error: leak }) },
      state: 'ended',
      code: 'GENERATION_FAILED',
    },
  ],
  invalid: (field, text) => ({
    status: 422,
    json: {
      title: 'Input validation failed',
      detail: `- input.${field}: ${text}\n`,
      status: 422,
      invalid_fields: [{ type: 'number_lte', field: `input.${field}`, description: text }],
    },
  }),
  empty: [
    { status: 201, json: fixture('succeeded', { output: null }) },
    { status: 201, json: fixture('succeeded', { output: [] }) },
    { status: 201, json: {} },
  ],
  recovery: {
    running: ours('processing'),
    ended: ours('succeeded'),
    absent: () => [list([fixture('succeeded', { id: 'another', webhook: null })])],
  },
  asyncRuns: {
    accepted: () => ({ status: 201, json: fixture('accepted') }),
    running: () => ended('accepted', {}),
    succeeded: () => ended('succeeded', {}),
    failures: [
      { name: 'failed', replies: () => ended('failed', { error: leak }), code: 'GENERATION_FAILED' },
      { name: 'what a rule knows', replies: () => ended('failed', {}), code: 'CONTENT_MODERATION_REJECTED' },
      {
        name: 'failed without a word',
        replies: () => ended('failed', { error: null }),
        code: 'GENERATION_FAILED',
      },
      {
        name: 'E6716',
        replies: () => ended('failed', { error: `${leak}: timeout starting prediction (E6716)` }),
        code: 'GENERATION_TIMEOUT',
      },
      {
        name: 'aborted',
        replies: () => ended('failed', { status: 'aborted', error: null }),
        code: 'GENERATION_TIMEOUT',
      },
      {
        name: 'canceled',
        replies: () => ended('failed', { status: 'canceled', error: null }),
        code: 'GENERATION_FAILED',
      },
      {
        name: 'no usable output',
        replies: () => ended('succeeded', { output: 'no' }),
        code: 'GENERATION_FAILED',
      },
      { name: 'a run that is gone', replies: () => [problem('notFound', 404)], code: 'GENERATION_FAILED' },
    ],
    withProgress: {
      replies: () => ended('processing', {}),
      reported: { progress: 0.46, logs: fixture('processing').logs as string },
    },
    cancel: { method: 'POST', path: ({ externalId }) => `/predictions/${externalId}/cancel` },
    callbacks: {
      ended: (id) => fixture('succeeded', { id, webhook: callbackUrl, webhook_events_filter: ['completed'] }),
      failed: (id) => fixture('failed', { id, model: secrets.providerModel, error: leak }),
      notEnded: (id) => fixture('processing', { id }),
      signing: {
        headers: (body, { atS, forged }) =>
          signed(body, { secret: forged ? `whsec_${'A'.repeat(32)}` : secret, id: 'msg_2bX', atS }),
        key: () => ok(fixture('webhookSecret')),
      },
    },
  },
};

const event = (name: string, data: string, id: string) => `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;

/** The run as its stream has left it. */
function leftBy(sent: string): object {
  const data = (name: string) =>
    [...sent.matchAll(new RegExp(`^event: ${name}\\nid: .*\\ndata: (.*)$`, 'gm'))].map(([, text]) => text);
  const [done] = data('done');
  if (done === '{}') return fixture('tokens', { output: data('output') });
  return fixture('failed', done ? { error: data('error').join('') } : { status: 'canceled', error: null });
}

function streamReplies(run: Run, stream: Reply): Reply[] {
  const sent: Buffer[] = [];
  const { stream: parts } = stream as { stream: StreamedBody };
  const json = { 'content-type': 'application/json' };
  return [
    { status: 201, json: fixture('accepted', { urls: { stream: `${run.baseUrl}/streams/${run.id}` } }) },
    {
      status: 200,
      async *stream(hungUp) {
        for await (const part of parts(hungUp)) {
          sent.push(Buffer.from(part));
          yield part;
        }
      },
    },
    {
      status: 200,
      headers: json,
      async *stream() {
        yield JSON.stringify(leftBy(Buffer.concat(sent).toString().replaceAll('\r\n', '\n')));
      },
    },
  ];
}

describeConformance({
  ...subject,
  streaming: {
    submission: { mapping: { output: { kind: 'text' }, errors: [] } },
    replies: streamReplies,
    piece: (piece) => event('output', String(piece), encodeURIComponent(String(piece))),
    end: () => event('done', '{}', 'done'),
    error: (words) => event('error', words, 'error') + event('done', '{"reason": "error"}', 'done'),
    afterCut: { state: 'ended' },
  },
});
