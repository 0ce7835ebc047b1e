import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted } from '../conformance/setup.ts';
import { recordingSink } from '../conformance/streaming.ts';
import { callbackUrl, submissionOf } from '../conformance/subject.ts';
import type { Progress, Provider, Submission } from '../interface.ts';
import { createCog } from './cog.ts';

let server: FakeServer;
let provider: Provider;

beforeEach(async () => {
  server = await startFakeServer();
  provider = createCog({ baseUrl: server.baseUrl, apiKey: null, settings: {} });
});

afterEach(async () => {
  provider.close();
  await server.close();
});

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event('start', { id: 'x', status: 'processing' });
const output = (chunk: unknown, index: number) => event('output', { chunk, index });
const completed = (part: object) =>
  event('completed', { id: 'x', status: 'succeeded', metrics: {}, ...part });

/** A stream of these events, which breaks off after them if it is `cut`. */
function stream(events: string[], cut: 'cut' | null = null): Reply {
  return {
    status: 200,
    async *stream() {
      yield events.join('');
      if (cut) throw new Error('the container breaks the response off');
    },
  };
}

async function submit(part: Partial<Submission> = {}, kind: 'text' | 'json' = 'text') {
  const sink = recordingSink(kind);
  const lines: string[] = [];
  const shares: number[] = [];
  sink.logs = (said) => void lines.push(said);
  sink.progress = (share) => void shares.push(share);
  const progress: Progress = await provider.submit(
    submissionOf({ submission: {} }, { sink, ...part }),
    neverAborted,
  );
  return { sink, lines, shares, progress };
}

const text = (of: string) => ({ state: 'ended', outcome: { ok: true, output: { text: of } } });
const lost = { state: 'unknown', outcome: { code: 'GENERATION_FAILED' } };

describe('a stream of Cog', () => {
  it('is asked for without a callback, and shows log, progress and usage', async () => {
    server.reply(
      stream([
        start,
        event('log', { source: 'stderr', data: ' 25%|##' }),
        event('log', { source: 'stderr', data: '  | 5/20\n' }),
        event('metric', { name: 'input_token_count', value: 4, mode: 'replace' }),
        output('hel', 0),
        event('metric', { name: 'output_token_count', value: 1, mode: 'increment' }),
        output('lo', 1),
        event('metric', { name: 'output_token_count', value: 1, mode: 'increment' }),
        completed({ output: ['hel', 'lo'], logs: ' 25%|##  | 5/20\n' }),
      ]),
    );
    const { sink, lines, shares, progress } = await submit({ mode: 'callback', callbackUrl });
    expect(progress).toMatchObject({ ...text('hello'), logs: ' 25%|##  | 5/20\n' });
    expect([sink.pieces, lines, shares]).toEqual([
      ['hel', 'lo'],
      [' 25%|##', '  | 5/20\n'],
      [0.25, 0.25],
    ]);
    expect(sink.usages).toEqual([
      { inputTokens: 4, outputTokens: 1 },
      { inputTokens: 4, outputTokens: 2 },
    ]);
    expect(server.received).toMatchObject([
      {
        method: 'PUT',
        headers: { accept: 'text/event-stream, application/json' },
        json: { input: { prompt: 'hello' } },
      },
    ]);
    expect(server.received[0]?.json).not.toHaveProperty('webhook');
  });

  it('shows values, without those that have files', async () => {
    const chunks = [{ step: 1 }, { preview: 'https://acme.example/a.png' }, 3];
    server.reply(stream([start, ...chunks.map(output), completed({ output: chunks })]));
    const mapping = { output: { kind: 'raw' as const }, errors: [] };
    const { sink, progress } = await submit({ mapping }, 'json');
    expect(progress).toMatchObject({ outcome: { output: { output: chunks } } });
    expect(sink.pieces).toEqual([{ step: 1 }, 3]);
  });

  it('is resumed where it broke off, by a request that cannot start a run', async () => {
    server.reply(
      stream([start, output('hel', 0)], 'cut'),
      stream([start, output('hel', 0), output('lo', 1), completed({ output: ['hel', 'lo'] })]),
    );
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(text('hello'));
    expect(sink.pieces).toEqual(['hel', 'lo']);
    expect(server.received.map(({ json }) => json)).toEqual([{ input: { prompt: 'hello' } }, { input: [] }]);
  });

  it.each([
    ['the container has no such run any more', { status: 422, json: { detail: [] } }],
    ['the run was cancelled', stream([start, output('hel', 0), completed({ status: 'canceled' })])],
    [
      'a container without a schema fails the invalid input',
      stream([start, completed({ status: 'failed' })]),
    ],
    ['its first events were dropped', stream([event('error', { error: 'replay truncated', skipped: 3 })])],
    ['only later events come', stream([output('lo', 1), completed({ output: ['hel', 'lo'] })])],
    ['it breaks off at once again', stream([start, output('hel', 0)], 'cut')],
  ])('is lost when it broke off and %s', async (_how, reply) => {
    server.reply(stream([start, output('hel', 0)], 'cut'), reply);
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(lost);
    expect(sink.pieces).toEqual(['hel']);
    expect(server.received).toHaveLength(2);
  });

  it('is lost when the container dropped events that were not read in time', async () => {
    server.reply(stream([start, output('hel', 0), event('error', { error: 'SSE stream lagged' })]));
    const { progress } = await submit();
    expect(progress).toMatchObject({ ...lost, outcome: { raw: expect.stringContaining('lagged') } });
    expect(server.received).toHaveLength(1);
  });

  it('is replaced by the whole output of a server that does not stream', async () => {
    server.reply({ status: 200, json: { id: 'x', status: 'succeeded', output: ['hel', 'lo'] } });
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(text('hello'));
    expect(sink.pieces).toEqual(['hello']);
  });

  it('is replaced by a second request for a model without streaming, which the operator is told', async () => {
    server.reply(
      { status: 406, json: { error: 'This model does not support streaming responses.' } },
      { status: 200, json: { id: 'x', status: 'succeeded', output: 'hello' } },
    );
    const { sink, progress } = await submit();
    expect(progress).toMatchObject({ ...text('hello'), alert: expect.stringContaining('@cog.streaming') });
    expect(sink.pieces).toEqual(['hello']);
    expect(server.received[1]?.headers.accept).toBe('application/json');
  });
});
