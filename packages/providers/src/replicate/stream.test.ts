import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeServer, type Reply, startFakeServer } from '../conformance/fakeServer.ts';
import { neverAborted } from '../conformance/setup.ts';
import { recordingSink } from '../conformance/streaming.ts';
import { callbackUrl, submissionOf } from '../conformance/subject.ts';
import type { Connection } from '../connection.ts';
import type { Submission } from '../interface.ts';
import { createReplicate } from './replicate.ts';
import { streamTarget } from './stream.ts';
import { fixture } from './testing/fixtures.ts';

const apiKey = 'r8_secret';
const path = '/streams/theirs-4f7d';
const text = { output: { kind: 'text' as const }, errors: [] };

let api: FakeServer;
let elsewhere: FakeServer;

beforeEach(async () => {
  [api, elsewhere] = await Promise.all([startFakeServer(), startFakeServer()]);
});

afterEach(() => Promise.all([api.close(), elsewhere.close()]));

const event = (name: string, data: string, id: string) => `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
const done = event('done', '{}', 'done');
const accepted = (at: string | undefined): Reply => ({
  status: 201,
  json: fixture('accepted', { urls: { stream: at } }),
});
const processing: Reply = { status: 200, json: fixture('accepted', { status: 'processing' }) };
const succeeded: Reply = { status: 200, json: fixture('tokens') };

/** A stream of these events, which breaks off after them if it is `cut`. */
function stream(events: string[], cut: 'cut' | null = null): Reply {
  return {
    status: 200,
    async *stream() {
      yield events.join('');
      if (cut) throw new Error('the server breaks the response off');
    },
  };
}

async function submit(part: Partial<Submission> = {}, settings: Connection['settings'] = {}) {
  const clock = { now: Date.now, wait: async () => undefined };
  const provider = createReplicate({ baseUrl: api.baseUrl, apiKey, settings }, clock);
  const sink = recordingSink();
  const lines: string[] = [];
  const shares: number[] = [];
  sink.logs = (said) => void lines.push(said);
  sink.progress = (share) => void shares.push(share);
  const given = submissionOf({ submission: { mapping: text } }, { sink, ...part });
  const progress = await provider.submit(given, neverAborted);
  provider.close();
  return { sink, lines, shares, progress };
}

const answer = {
  state: 'ended',
  outcome: {
    ok: true,
    output: { text: 'Arr, me hearty!' },
    usage: { inputTokens: 26, outputTokens: 5 },
    measured: { seconds: 2.86309 },
  },
};

describe('a stream of Replicate', () => {
  it('is created with a webhook that only names the run, and ends as the run does', async () => {
    const log = event('logs', ' 20%|##', 'log');
    const words = ['Arr', ',', ' me', ' hearty', '!'].map((word, at) => event('output', word, `1:${at}`));
    api.reply(accepted(`${api.baseUrl}${path}`), stream([log, ...words, done]), processing, succeeded);
    const { sink, lines, shares, progress } = await submit({ mode: 'callback', callbackUrl });
    expect(progress).toMatchObject(answer);
    expect([sink.pieces.join(''), lines, shares]).toEqual(['Arr, me hearty!', [' 20%|##'], [0.2]]);
    expect(api.received.map(({ method, path: at }) => `${method} ${at}`)).toEqual([
      expect.stringMatching(/^POST .*\/predictions$/),
      `GET ${path}`,
      'GET /predictions/theirs-4f7d',
      'GET /predictions/theirs-4f7d',
    ]);
    expect(api.received[0]?.json).toEqual({
      input: { prompt: 'hello' },
      stream: true,
      webhook: callbackUrl,
      webhook_events_filter: ['start'],
    });
  });

  it('is resumed after its last event, and shows no event twice', async () => {
    const words = ['Arr, ', 'me', ' hearty!'].map((word, at) => event('output', word, `1:${at}`));
    api.reply(
      accepted(`${api.baseUrl}${path}`),
      stream(words.slice(0, 2), 'cut'),
      processing,
      stream([...words.slice(1), done]),
      succeeded,
    );
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(answer);
    expect(sink.pieces).toEqual(['Arr, ', 'me', ' hearty!']);
    expect(api.received[3]?.headers).toMatchObject({ 'last-event-id': '1:1' });
  });

  it('is not resumed when its events have no ids: the rest is shown at the end', async () => {
    const word = 'event: output\ndata: Arr\n\n';
    api.reply(accepted(`${api.baseUrl}${path}`), stream([word], 'cut'), processing, processing, succeeded);
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(answer);
    expect(sink.pieces).toEqual(['Arr', ', me hearty!']);
  });

  it.each([
    ['the model has none', () => undefined, () => []],
    ['its host is not trusted', () => `${elsewhere.baseUrl}${path}`, () => []],
    ['it is refused', () => `${api.baseUrl}${path}`, () => [{ status: 404 }]],
  ])('is replaced by the whole output when %s', async (_why, at, replies) => {
    api.reply(accepted(at()), ...replies(), processing, succeeded);
    const { sink, progress } = await submit();
    expect(progress).toMatchObject(answer);
    expect(sink.pieces).toEqual(['Arr, me hearty!']);
    expect(elsewhere.received).toEqual([]);
  });

  it('is read with the key at a host that the operator allows', async () => {
    const { host } = new URL(elsewhere.baseUrl);
    api.reply(accepted(`${elsewhere.baseUrl}${path}`), succeeded);
    elsewhere.reply(stream([event('output', 'Arr', '1:0'), done]));
    const { sink } = await submit({}, { ALLOWED_HOSTS: host });
    expect(sink.pieces).toEqual(['Arr', ', me hearty!']);
    expect(elsewhere.received[0]?.headers).toMatchObject({ authorization: `Bearer ${apiKey}` });
  });

  it('ends without an outcome when the run takes too long', async () => {
    api.reply(accepted(undefined), processing);
    const { progress } = await submit({ timeoutMs: 100 });
    expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_TIMEOUT' } });
  });
});

describe('the host of a stream', () => {
  const connection = { baseUrl: 'https://api.replicate.com/v1', apiKey, settings: {} };

  it.each([
    ['https://api.replicate.com/v1/streams/x', { isKeyed: true }],
    ['https://stream.replicate.com/v1/files/x', { isKeyed: false }],
    ['https://stream-b.svc.replicate.com/v1/files/x', { isKeyed: false }],
    ['http://stream.replicate.com/v1/files/x', null],
    ['https://stream.replicate.com:8443/v1/files/x', null],
    ['https://user@stream.replicate.com/v1/files/x', null],
    ['https://stream.replicate.com.evil.example/x', null],
    ['https://evilreplicate.com/x', null],
    ['http://169.254.169.254/latest', null],
    ['nothing', null],
  ])('%s is dialled: %j', (url, expected) => {
    const target = streamTarget({ urls: { stream: url } }, connection);
    expect(target).toEqual(expected && { url, ...expected });
  });

  it('is not one of Replicate for another server with its API', () => {
    const urls = { stream: 'https://stream.replicate.com/v1/files/x' };
    expect(streamTarget({ urls }, { ...connection, baseUrl: 'https://acme.example' })).toBeNull();
  });
});
