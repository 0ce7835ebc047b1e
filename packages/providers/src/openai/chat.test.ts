import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted } from '../conformance/setup.ts';
import { type RecordingSink, recordingSink } from '../conformance/streaming.ts';
import { submissionOf } from '../conformance/subject.ts';
import type { Provider, Submission } from '../interface.ts';
import { createOpenai } from './openai.ts';
import { streamFixture } from './testing/fixture.ts';

let fakeServer: FakeServer;
let provider: Provider;
let sink: RecordingSink;

beforeEach(async () => {
  fakeServer = await startFakeServer();
  provider = createOpenai({ baseUrl: fakeServer.baseUrl, apiKey: 'sk-1234567890', settings: {} });
  sink = recordingSink();
});

afterEach(async () => {
  provider.close();
  await fakeServer.close();
});

const sse = (text: string): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  text,
});
const events = (...chunks: object[]) =>
  sse([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join(''));
const delta = (part: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: part, finish_reason: reason }],
});

async function submit(reply: Reply | Reply[], part: Partial<Submission> = {}) {
  fakeServer.reply(...[reply].flat());
  return await provider.submit(submissionOf({ submission: { sink } }, part), neverAborted);
}

/** The outcome of the same content without a stream. */
async function plainOutcome(json: object) {
  fakeServer.reply({ status: 200, json });
  const progress = await provider.submit(submissionOf({ submission: {} }), neverAborted);
  if (progress.state !== 'ended') throw new Error(progress.state);
  return withoutTime(progress);
}

function withoutTime(progress: object) {
  return JSON.parse(
    JSON.stringify(progress, (key, value: unknown) => (key === 'seconds' ? 0 : value)),
  ) as unknown;
}

describe('a streamed chat completion', () => {
  it('is requested with its usage, which is reported with its text', async () => {
    expect(await submit(sse(streamFixture('chatStream')))).toMatchObject({
      state: 'ended',
      outcome: {
        ok: true,
        output: { text: 'Hello! How can I assist you today?' },
        usage: { inputTokens: 19, outputTokens: 10 },
        finishReason: 'stop',
      },
    });
    expect(sink.pieces).toEqual(['Hello', '!', ' How', ' can', ' I', ' assist', ' you', ' today', '?']);
    expect(sink.usages).toEqual([{ inputTokens: 19, outputTokens: 10 }]);
    expect(fakeServer.received[0]?.json).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('has the outcome that it has without a stream: calls of tools', async () => {
    const calls = [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Lima"}' } },
    ];
    const streamed = await submit(sse(streamFixture('toolCallsStream')));
    const message = { role: 'assistant', content: null, refusal: null, tool_calls: calls };
    expect(withoutTime(streamed)).toEqual(
      await plainOutcome({
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 84, completion_tokens: 47 },
      }),
    );
    expect(streamed).toMatchObject({
      outcome: { output: { text: '', tool_calls: calls }, finishReason: 'tool_calls' },
    });
    expect(sink.pieces).toEqual([]);
  });

  it.each(['reasoning', 'reasoning_content'])('has its %s when it has no text', async (field) => {
    const reply = events(
      delta({ role: 'assistant', [field]: 'Let me ' }),
      delta({ [field]: 'think' }, 'length'),
    );
    expect(await submit(reply)).toMatchObject({
      outcome: { ok: true, output: { text: '', reasoning: 'Let me think' }, finishReason: 'length' },
    });
  });

  it.each([
    [
      'a refusal',
      [delta({ content: 'Well' }), delta({ refusal: "I can't" }), delta({ refusal: ' do that' }, 'stop')],
    ],
    ['a content filter', [delta({ content: 'Well' }), delta({}, 'content_filter')]],
  ])('ends with %s as without a stream', async (_name, chunks) => {
    expect(await submit(events(...chunks))).toMatchObject({
      state: 'ended',
      outcome: { ok: false, code: 'CONTENT_MODERATION_REJECTED' },
    });
    expect(sink.pieces).toEqual(['Well']);
  });

  it('shows the first of several choices', async () => {
    const second = { choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] };
    const progress = await submit(events(delta({ content: 'y' }), second, delta({ content: 'es' }, 'stop')));
    expect(progress).toMatchObject({ outcome: { output: { text: 'yes' } } });
    expect(sink.pieces).toEqual(['y', 'es']);
  });

  it('is complete with a reason to finish where the server sends no [DONE]', async () => {
    const text = `data: ${JSON.stringify(delta({ content: 'yes' }, 'length'))}\n\n`;
    expect(await submit(sse(text))).toMatchObject({
      state: 'ended',
      outcome: { output: { text: 'yes' }, finishReason: 'length' },
    });
  });

  it('is shown at its end where the output is at another place', async () => {
    const output = { kind: 'text', pointer: '/choices/0/message/reasoning' } as const;
    const reply = events(
      delta({ reasoning: 'Let me ' }),
      delta({ reasoning: 'think', content: 'x' }, 'stop'),
    );
    expect(await submit(reply, { mapping: { output, errors: [] } })).toMatchObject({
      outcome: { output: { text: 'Let me think' } },
    });
    expect(sink.pieces).toEqual(['Let me think']);
  });

  it('is shown at its end by a server that does not stream', async () => {
    const json = { choices: [{ message: { content: 'all at once' }, finish_reason: 'stop' }] };
    expect(await submit({ status: 200, json })).toMatchObject({
      state: 'ended',
      outcome: { output: { text: 'all at once' } },
    });
    expect(sink.pieces).toEqual(['all at once']);
  });

  it('is requested once more when the server does not know stream_options, and only then', async () => {
    const refused = {
      status: 422,
      json: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
    };
    const progress = await submit([refused, events(delta({ content: 'yes' }, 'stop'))]);
    expect(progress).toMatchObject({ outcome: { output: { text: 'yes' } } });
    expect(fakeServer.received).toHaveLength(2);
    expect(fakeServer.received[1]?.json).not.toHaveProperty('stream_options');
    fakeServer.received.length = 0;
    const other = { status: 400, json: { error: { message: 'too hot', param: 'temperature' } } };
    expect(await submit([other])).toMatchObject({ state: 'refused' });
    expect(fakeServer.received).toHaveLength(1);
  });

  it('is not requested for an output that is not text', async () => {
    sink.kind = 'json';
    const json = { choices: [{ message: { content: 'yes' } }] };
    await submit({ status: 200, json });
    expect(fakeServer.received[0]?.json).toMatchObject({ stream: false });
    expect(sink.pieces).toEqual([]);
  });
});

describe('an error in a stream', () => {
  const overloaded = { error: { message: 'slow down', type: 'rate_limit_error', code: 429 } };

  it('is a refusal when the server is overloaded and nothing was shown', async () => {
    expect(await submit(events(overloaded))).toMatchObject({
      state: 'refused',
      isBusy: true,
      outcome: { code: 'MODEL_OVERLOADED' },
    });
    expect(await submit(events(delta({ content: 'We' }), overloaded))).toMatchObject({
      state: 'ended',
      outcome: { code: 'MODEL_OVERLOADED' },
    });
  });

  it.each([
    [
      'of OpenAI',
      'data: {"error":{"message":"no","type":"x","code":"content_policy_violation"}}\n\n',
      'CONTENT_MODERATION_REJECTED',
    ],
    [
      'of older versions of vLLM',
      'data: {"object":"error","message":"no","type":"x","code":400}\n\n',
      'GENERATION_FAILED',
    ],
    [
      'by its name',
      'event: error\ndata: {"message":"This model\'s maximum context length is 5."}\n\n',
      'INPUT_VALIDATION_ERROR',
    ],
    ['of a text', 'event: error\ndata: CUDA out of memory\n\n', 'GENERATION_FAILED'],
  ])('%s ends the run', async (_name, event, code) => {
    expect(await submit(sse(event))).toMatchObject({ state: 'ended', outcome: { ok: false, code } });
  });
});
