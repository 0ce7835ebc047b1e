import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted, until } from '../conformance/setup.ts';
import { type RecordingSink, recordingSink } from '../conformance/streaming.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { Provider, Submission } from '../interface.ts';
import { createHttp } from './http.ts';

let fakeServer: FakeServer;
let provider: Provider;
let sink: RecordingSink;

beforeEach(async () => {
  fakeServer = await startFakeServer();
  provider = createHttp({ baseUrl: fakeServer.baseUrl, apiKey: null, settings: {} });
  sink = recordingSink();
});

afterEach(async () => {
  provider.close();
  await fakeServer.close();
});

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.txt`, import.meta.url), 'utf8');
const streamOf = (text: string, type = 'text/event-stream'): Reply => ({
  status: 200,
  headers: { 'content-type': type },
  stream: async function* () {
    yield text;
  },
});

async function submit(options: Submission['options'], replies: Reply[], part: Partial<Submission> = {}) {
  fakeServer.reply(...replies);
  return await provider.submit(submissionOf({ submission: { options, sink } }, part), neverAborted);
}

const anthropic = {
  path: '/v1/messages',
  body: { model: '{{model}}', messages: [{ role: 'user', content: '{{input.prompt}}' }] },
  output: '$.content[*].text',
  usage: { input_tokens: '/usage/input_tokens', output_tokens: '/usage/output_tokens' },
  errors: { text: '/error/message', code: '/error/type', codes: { overloaded_error: 'MODEL_OVERLOADED' } },
  stream: {
    body: { stream: true },
    delta: '/delta/text',
    usage: { input_tokens: '/message/usage/input_tokens' },
    finish_reason: '/delta/stop_reason',
    done: { events: ['message_stop'] },
  },
};

describe('a server with the protocol of Anthropic', () => {
  it('streams', async () => {
    expect(await submit(anthropic, [streamOf(fixture('anthropicStream'))])).toMatchObject({
      state: 'ended',
      outcome: {
        ok: true,
        output: { text: 'Hello!' },
        usage: { inputTokens: 25, outputTokens: 15 },
        finishReason: 'stop',
      },
    });
    expect(sink.pieces).toEqual(['Hello', '!']);
    expect(sink.usages.at(-1)).toEqual({ inputTokens: 25, outputTokens: 15 });
    expect(fakeServer.received[0]?.json).toMatchObject({ stream: true, messages: [{ content: 'hello' }] });
  });

  it('is not asked to stream without a sink', async () => {
    fakeServer.reply({ status: 200, json: { content: [{ text: 'Hello!' }], usage: { input_tokens: 25 } } });
    const plain = submissionOf({ submission: { options: anthropic } });
    expect(await provider.submit(plain, neverAborted)).toMatchObject({
      outcome: { output: { text: 'Hello!' } },
    });
    expect(fakeServer.received[0]?.json).not.toHaveProperty('stream');
  });

  it('fails by an event with an error', async () => {
    const error =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    expect(await submit(anthropic, [streamOf(error)])).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'MODEL_OVERLOADED', raw: expect.stringContaining('Overloaded') },
    });
  });

  it('that responds without a stream is shown at its end', async () => {
    const json = { content: [{ text: 'Hello' }, { text: '!' }] };
    expect(await submit(anthropic, [{ status: 200, json }])).toMatchObject({
      outcome: { output: { text: 'Hello!' } },
    });
    expect(sink.pieces).toEqual(['Hello!']);
  });
});

describe('a server with the protocol of Ollama', () => {
  const ollama = {
    path: '/api/chat',
    output: '/message/content',
    usage: { input_tokens: '/prompt_eval_count', output_tokens: '/eval_count' },
    errors: { text: '/error' },
    stream: {
      format: 'ndjson',
      delta: '/message/content',
      finish_reason: '/done_reason',
      done: { at: '/done' },
    },
  };

  it('streams', async () => {
    expect(await submit(ollama, [streamOf(fixture('ollamaStream'), 'application/x-ndjson')])).toMatchObject({
      state: 'ended',
      outcome: {
        output: { text: 'The sky' },
        usage: { inputTokens: 26, outputTokens: 282 },
        finishReason: 'stop',
      },
    });
    expect(sink.pieces).toEqual(['The', ' sky']);
  });
});

describe('a stream', () => {
  const plain = (stream: object, others: object = {}) => ({ path: '/generate', ...others, stream });

  it('may have a path of its own, and end with its response', async () => {
    const options = plain({ path: '/generate_stream', delta: '/token/text' });
    const text = ['a', 'b'].map((one) => `data:{"token":{"text":"${one}"}}\n\n`).join('');
    expect(await submit(options, [streamOf(text)])).toMatchObject({ outcome: { output: { text: 'ab' } } });
    expect(fakeServer.received[0]?.path).toBe('/generate_stream');
  });

  it('may be of texts, up to an event that says so', async () => {
    const options = plain({ done: { data: '[DONE]' } }, { response_as: 'text' });
    const progress = await submit(options, [streamOf('data: 12\n\ndata:  true\n\ndata: [DONE]\n\n')]);
    expect(progress).toMatchObject({ outcome: { output: { text: '12 true' } } });
  });

  it('may be of a file', async () => {
    sink = recordingSink('audio');
    const stream = async function* () {
      yield 'ID3 one';
      await until(() => sink.pieces.length === 1);
      yield ' two';
    };
    const progress = await submit(
      plain({ format: 'bytes' }, { response_as: 'file' }),
      [{ status: 200, headers: { 'content-type': 'audio/mpeg' }, stream }],
      { mapping: { output: { kind: 'audios' }, errors: [] } },
    );
    expect(progress).toMatchObject({
      state: 'ended',
      outcome: { ok: true },
      bodies: [{ contentType: 'audio/mpeg', sizeBytes: 11 }],
    });
    expect(Buffer.concat(sink.pieces as Buffer[]).toString()).toBe('ID3 one two');
  });

  it('without a piece of output is no success', async () => {
    expect(await submit(plain({ delta: '/text' }), [streamOf('data: {"token":"a"}\n\n')])).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'GENERATION_FAILED' },
    });
  });

  it('is refused by a rule of the model on its events', async () => {
    const errors = [{ when: { at: '/flagged', equals: true }, code: 'CONTENT_MODERATION_REJECTED' } as const];
    const text = 'data: {"text":"a"}\n\ndata: {"flagged":true}\n\n';
    expect(
      await submit(plain({ delta: '/text' }), [streamOf(text)], {
        mapping: { output: { kind: 'text' }, errors },
      }),
    ).toMatchObject({ state: 'ended', outcome: { ok: false, code: 'CONTENT_MODERATION_REJECTED' } });
  });

  it('makes the run neither called back nor polled', async () => {
    const options = plain(
      { delta: '/text' },
      { body: { back: '{{callback_url}}' }, poll: { path: '/runs/{{token}}' } },
    );
    for (const mode of ['callback', 'poll'] as const) {
      const part = { mode, callbackUrl: 'http://127.0.0.1:9/callbacks/x' };
      expect(await submit(options, [streamOf('data: {"text":"a"}\n\n')], part)).toMatchObject({
        state: 'ended',
        outcome: { output: { text: 'a' } },
      });
    }
    expect(fakeServer.received.map(({ json }) => json)).toEqual([{}, {}]);
  });
});
