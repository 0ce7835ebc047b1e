import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { type Subject, submissionOf } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import type { Progress } from '../interface.ts';
import { createOpenai } from './openai.ts';
import { fixture } from './testing/fixture.ts';

const { signal } = new AbortController();
const mp3 = Buffer.from('49443303000000000000', 'hex');
const refusals: Subject['failures'] = [
  {
    name: '401',
    reply: { status: 401 },
    state: 'refused',
    code: 'SERVICE_UNAVAILABLE',
    retryAfterMs: null,
    alerts: true,
  },
  { name: '500', reply: { status: 500 }, state: 'ended', code: 'GENERATION_FAILED' },
  { name: '503', reply: { status: 503 }, state: 'refused', code: 'MODEL_OVERLOADED', busy: true },
];
const invalid: Subject['invalid'] = (param, message) => ({
  status: 400,
  json: { error: { message, type: 'invalid_request_error', param, code: 'invalid_value' } },
});
const vectors = (...data: object[]): Reply => ({
  status: 200,
  json: { object: 'list', data, usage: { prompt_tokens: 8, total_tokens: 8 } },
});
const speech = (headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'audio/mpeg', ...headers },
  bytes: mp3,
});

const embeddings: Subject = {
  name: 'openai',
  create: createOpenai,
  submission: {
    options: { endpoint: 'embeddings' },
    mapping: { output: { kind: 'raw' }, errors: [] },
  },
  success: () => vectors({ index: 0, embedding: [0.5, -0.25] }),
  outcome: {
    output: { embeddings: [[0.5, -0.25]], dimensions: 2 },
    usage: { inputTokens: 8, outputTokens: 0 },
  },
  failures: refusals,
  invalid,
  empty: [
    vectors(),
    vectors({ index: 0, embedding: [] }),
    vectors({ index: 0, embedding: [1] }, { index: 1, embedding: [1, 2] }),
    vectors({ index: 0, embedding: ['1'] }),
    { status: 200, json: {} },
  ],
  recovery: 'impossible',
};

const voice: Subject = {
  ...embeddings,
  submission: { options: { endpoint: 'speech' }, mapping: { output: { kind: 'audios' }, errors: [] } },
  success: () => speech(),
  outcome: { output: { audios: [{ url: expect.stringMatching(/^body:/) }] } },
  empty: [
    { status: 200, json: {} },
    { status: 204, text: '' },
  ],
};

const verdict = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } };
const moderations: Subject = {
  ...embeddings,
  submission: { options: { endpoint: 'moderations' }, mapping: { output: { kind: 'raw' }, errors: [] } },
  success: () => ({ status: 200, json: { id: 'modr-1', model: 'upstream', results: [verdict] } }),
  outcome: { output: { results: [verdict] } },
  empty: [
    { status: 200, json: { results: [] } },
    { status: 200, json: { results: [{ categories: {} }] } },
  ],
};

describe('embeddings', () => describeConformance(embeddings));
describe('moderations', () => describeConformance(moderations));
describe('speech', () => describeConformance(voice));

/** What a run came to; `read` reads its files, as long as the server is there. */
async function run<Read>(
  subject: Subject,
  part: Parameters<typeof submissionOf>[1],
  reply: Reply,
  read: (progress: Progress, received: unknown) => Promise<Read>,
): Promise<Read> {
  const fakeServer = await startFakeServer();
  const provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
  fakeServer.reply(reply);
  try {
    const progress = await provider.submit(submissionOf(subject, part), signal);
    return await read(progress, fakeServer.received[0]);
  } finally {
    provider.close();
    await fakeServer.close();
  }
}

function outcomeIn(progress: Progress) {
  if (progress.state !== 'ended') throw new Error(JSON.stringify(progress));
  return { ...progress, bodies: progress.bodies ?? [] };
}

describe('the vectors of embeddings', () => {
  it('are requested by their texts, and returned in the same order', async () => {
    const reply = vectors({ index: 1, embedding: [3] }, { index: 0, embedding: [2] });
    await run(embeddings, { input: { prompt: ['a', 'b'] } }, reply, async (progress, received) => {
      expect(outcomeIn(progress).outcome).toMatchObject({
        output: { embeddings: [[2], [3]], dimensions: 1 },
      });
      expect(received).toMatchObject({ path: '/v1/embeddings', json: { input: ['a', 'b'] } });
    });
  });

  it('may be base64', async () => {
    const floats = Buffer.alloc(8);
    floats.writeFloatLE(0.5, 0);
    floats.writeFloatLE(-2, 4);
    const reply = vectors({ index: 0, embedding: floats.toString('base64') });
    await run(embeddings, {}, reply, async (progress) => {
      expect(outcomeIn(progress).outcome).toMatchObject({ output: { embeddings: [[0.5, -2]] } });
    });
  });

  it('are a JSON file if the model says so', async () => {
    const mapping = { output: { kind: 'files' as const }, errors: [] };
    await run(embeddings, { mapping }, vectors({ index: 0, embedding: [0.5] }), async (progress) => {
      const { outcome, bodies } = outcomeIn(progress);
      expect(outcome).toMatchObject({
        output: { files: [{ url: bodies[0]?.reference }] },
        usage: { inputTokens: 8 },
      });
      expect(bodies[0]?.contentType).toBe('application/json');
      const written = bodies[0] ? await text(await bodies[0].open(signal)) : '';
      expect(JSON.parse(written)).toEqual({ embeddings: [[0.5]], dimensions: 1 });
    });
  });

  it('fail the execution if they are too many, and the operator reads how to store them', async () => {
    const embedding = Array.from({ length: 300_000 }, (_, index) => index / 300_000);
    await run(embeddings, {}, vectors({ index: 0, embedding }), async (progress) => {
      expect(outcomeIn(progress).outcome).toMatchObject({
        ok: false,
        message: 'The output of the model is too large.',
        raw: expect.stringContaining('output.kind files'),
      });
    });
  });
});

describe('the sound of speech', () => {
  it('is requested by the text, and is the response itself', async () => {
    const input = { prompt: 'hello', voice: 'alloy' };
    await run(voice, { input }, speech({ 'transfer-encoding': 'chunked' }), async (progress, received) => {
      const { outcome, bodies } = outcomeIn(progress);
      // Its seconds are those of the file, which is measured when it is stored.
      expect(outcome).toMatchObject({ ok: true, measured: {} });
      expect(outcome).not.toHaveProperty('measured.seconds');
      expect(bodies[0] && (await buffer(await bodies[0].open(signal)))).toEqual(mp3);
      expect(received).toMatchObject({ path: '/v1/audio/speech', json: { input: 'hello', voice: 'alloy' } });
    });
  });
});

describe('the cost that a LiteLLM proxy reports', () => {
  const cost = { 'x-litellm-response-cost': '2.1e-05' };
  const chat = { options: {}, mapping: { output: { kind: 'text' as const }, errors: [] } };

  it.each<[string, Parameters<typeof submissionOf>[1], Reply]>([
    ['chat', chat, { status: 200, headers: cost, json: fixture('chatCompletion') }],
    ['speech', {}, speech(cost)],
  ])('is read from its header: %s', async (_call, part, reply) => {
    await run(voice, part, reply, async (progress) => {
      expect(outcomeIn(progress).outcome).toMatchObject({ measured: { cost: '2.1e-05' } });
    });
  });

  it('is read if the response itself has none, or if the model names another header', async () => {
    const json = { ...(fixture('chatCompletion') as object), usage: { cost: 0.5 } };
    await run(voice, chat, { status: 200, headers: cost, json }, async (progress) => {
      expect(outcomeIn(progress).outcome).toMatchObject({ measured: { cost: '0.5' } });
    });
    const mapping = { ...chat.mapping, usage: { cost_header: 'X-Paid' } };
    const headers = { ...cost, 'x-paid': '7' };
    await run(
      voice,
      { ...chat, mapping },
      { status: 200, headers, json: fixture('chatCompletion') },
      async (progress) => {
        expect(outcomeIn(progress).outcome).toMatchObject({ measured: { cost: '7' } });
      },
    );
  });
});
