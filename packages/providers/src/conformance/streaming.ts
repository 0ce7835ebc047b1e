import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { OutputSink, Progress } from '../interface.ts';
import type { Reply } from './fakeServer.ts';
import { expectNothingLeaks, neverAborted, type TestSetup, until } from './setup.ts';
import { runOf, type Streaming, type Subject, secrets, submissionOf } from './subject.ts';
import type { StreamedBody } from './wireServer.ts';

/** Characters of two, three and four bytes. */
const texts = ['Grüße aus ', '東京, ', '🚢 ahoy', '!'];

const fillerBytes = 64 * 1024;
const fillers = 512;

/** A sink that keeps what it gets. `gate` is awaited by each call. */
export type RecordingSink = OutputSink & {
  pieces: unknown[];
  usages: Parameters<OutputSink['usage']>[0][];
  /** The largest number of calls at once. */
  atOnce: number;
};

export function recordingSink(
  kind: OutputSink['kind'] = 'text',
  gate: () => Promise<unknown> = async () => {},
): RecordingSink {
  let open = 0;
  const sink: RecordingSink = {
    kind,
    pieces: [],
    usages: [],
    atOnce: 0,
    async output(piece) {
      open += 1;
      sink.atOnce = Math.max(sink.atOnce, open);
      sink.pieces.push(piece);
      await gate();
      open -= 1;
    },
    logs() {},
    progress() {},
    usage: (usage) => void sink.usages.push(usage),
  };
  return sink;
}

/** The contract for runs whose output is shown while it is made. */
export function describeStreaming(subject: Subject, setup: () => TestSetup): void {
  const { streaming } = subject;
  if (streaming === undefined) return;
  const stage = () => stageOf(subject, streaming, setup());
  describe(`${subject.name}: a streamed run`, () => {
    describeWire(stage);
    describeEnds(subject, streaming, setup, stage);
    describeFlow(stage, streaming);
  });
}

type Stage = ReturnType<typeof stageOf>;

/** The parts of a stream for one test, and the submit that reads it. */
function stageOf(subject: Subject, streaming: Streaming, { fakeServer, provider }: TestSetup) {
  const { kind = 'text', pieces = texts, output = { text: texts.join('') }, format } = streaming;
  const submissionWith = (sink: OutputSink) =>
    submissionOf(subject, { ...streaming.submission, timeoutMs: 600_000, sink });
  const run = runOf(provider, submissionWith(recordingSink(kind)), fakeServer.baseUrl);
  const end = (usage: boolean) => streaming.end(run, { pieces, usage });
  return {
    kind,
    pieces,
    submissionWith,
    start: streaming.start?.(run) ?? '',
    shown: pieces.map((piece) => streaming.piece(piece)),
    end,
    error: (words: string) => streaming.error(words, run),
    succeeded: {
      state: 'ended',
      outcome: {
        ok: true,
        output,
        ...(streaming.reportsUsage && { usage: { inputTokens: 3, outputTokens: 9 } }),
      },
    },
    /** A line that says nothing. */
    comment: (text: string) => (format === 'ndjson' ? `${' '.repeat(text.length)}\n` : `: ${text}\n\n`),
    async submit(stream: StreamedBody, sink = recordingSink(kind), signal = neverAborted): Promise<Progress> {
      return await this.submitTo({ status: 200, stream }, sink, signal);
    },
    async submitTo(reply: Reply, sink = recordingSink(kind), signal = neverAborted): Promise<Progress> {
      const headers = format === 'ndjson' ? { 'content-type': 'application/x-ndjson' } : {};
      const stream = typeof reply === 'object' ? { headers, ...reply } : reply;
      fakeServer.reply(...(streaming.replies?.(run, stream) ?? [stream]));
      return await provider.submit(submissionWith(sink), signal);
    },
    /** Texts may be cut anywhere but inside a character; other pieces arrive whole. */
    expectShown(sink: RecordingSink, expected: readonly unknown[] = pieces) {
      if (kind !== 'text') return expect(sink.pieces).toEqual(expected);
      for (const piece of sink.pieces) expect(String(piece).isWellFormed()).toBe(true);
      return expect(sink.pieces.join('')).toBe(expected.join(''));
    },
  };
}

function describeWire(stage: () => Stage): void {
  const wires: [string, (stage: Stage) => (string | Buffer)[]][] = [
    ['in one piece', ({ start, shown, end }) => [[start, ...shown, end(true)].join('')]],
    ['event by event', ({ start, shown, end }) => [start, ...shown, end(true)].filter((part) => part !== '')],
    [
      'with its characters split',
      ({ start, shown, end }) => splitParts([start, ...shown, end(true)].join('')),
    ],
    [
      'with CRLF line ends, split too',
      ({ start, shown, end }) => splitParts([start, ...shown, end(true)].join('').replaceAll('\n', '\r\n')),
    ],
    [
      'with comments between its events',
      ({ start, shown, end, comment }) =>
        [start, ...shown, end(true)].flatMap((part) => [comment('ping'), part]).filter((part) => part !== ''),
    ],
  ];

  it.each(wires)('shows its output and ends, %s', async (_how, wire) => {
    const given = stage();
    const sink = recordingSink(given.kind);
    const progress = await given.submit(() => chunksOf(wire(given)), sink);
    expect(progress).toMatchObject(given.succeeded);
    given.expectShown(sink);
  });
}

function describeEnds(
  subject: Subject,
  { reportsUsage, afterCut = { state: 'unknown' } }: Streaming,
  setup: () => TestSetup,
  stage: () => Stage,
): void {
  if (reportsUsage) {
    it('reports no usage when its stream has none', async () => {
      const given = stage();
      const { start, shown, end } = given;
      const progress = await given.submit(() => chunksOf([start, ...shown, end(false)]));
      expect(progress).toMatchObject({
        state: 'ended',
        outcome: { ok: true, usage: { inputTokens: 0, outputTokens: 0 } },
      });
    });
  }

  it('has shown what came before its connection broke off', async () => {
    const given = stage();
    const sink = recordingSink(given.kind);
    const progress = await given.submit(async function* (hungUp) {
      yield `${given.start}${given.shown[0]}`;
      await until(() => sink.pieces.length > 0 || hungUp.aborted);
      throw new Error('the server breaks the response off');
    }, sink);
    expect(progress).toMatchObject(afterCut);
    given.expectShown(sink, given.pieces.slice(0, 1));
  });

  it('is not taken for complete when its stream ends early', async () => {
    const given = stage();
    const sink = recordingSink(given.kind);
    const progress = await given.submit(() => chunksOf([given.start, given.shown[0] ?? '']), sink);
    expect(progress).toMatchObject(afterCut);
    given.expectShown(sink, given.pieces.slice(0, 1));
  });

  it('fails by an error in the middle of its output', async () => {
    const given = stage();
    const sink = recordingSink(given.kind);
    const words = `${secrets.upstream}: the engine died (${secrets.apiKey})`;
    const progress = await given.submit(
      () => chunksOf([given.start, given.shown[0] ?? '', given.error(words)]),
      sink,
    );
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: false } });
    expectNothingLeaks(progress, subject, setup());
    given.expectShown(sink, given.pieces.slice(0, 1));
  });

  it('can be refused', async () => {
    const given = stage();
    const { fakeServer, provider } = setup();
    fakeServer.reply({ status: 429, headers: { 'retry-after': '7' } });
    const sink = recordingSink(given.kind);
    expect(await provider.submit(given.submissionWith(sink), neverAborted)).toMatchObject({
      state: 'refused',
      retryAfterMs: 7000,
      isBusy: true,
    });
    expect(sink.pieces).toEqual([]);
  });
}

function describeFlow(stage: () => Stage, { afterCut = { state: 'unknown' } }: Streaming): void {
  it('closes its connection when it is aborted', async () => {
    const given = stage();
    const sink = recordingSink(given.kind);
    const abort = new AbortController();
    const closed = Promise.withResolvers<void>();
    const stream = async function* (hungUp: AbortSignal) {
      yield `${given.start}${given.shown[0]}`;
      await until(() => sink.pieces.length > 0 || hungUp.aborted);
      abort.abort();
      if (!hungUp.aborted) await once(hungUp, 'abort');
      closed.resolve();
    };
    const progress = await given.submitTo({ status: 200, stream }, sink, abort.signal);
    expect(progress.state === 'unknown' || progress.state === afterCut.state).toBe(true);
    await closed.promise;
  });

  it('is read no faster than its output is stored', async () => {
    const given = stage();
    const stored = Promise.withResolvers<void>();
    const sink = recordingSink(given.kind, () => stored.promise);
    let sent = 0;
    const filler = given.comment('x'.repeat(fillerBytes));
    let isOver = false;
    const submitted = given.submit(async function* () {
      yield `${given.start}${given.shown.join('')}`;
      for (; sent < fillers; sent += 1) yield filler;
      yield given.end(true);
    }, sink);
    const progress = submitted.finally(() => {
      isOver = true;
    });
    await until(() => sink.pieces.length > 0 || isOver);
    for (let before = -1; before !== sent; ) {
      before = sent;
      await delay(50);
    }
    expect(sent).toBeLessThan(fillers);
    expect(sink.pieces).toHaveLength(1);
    stored.resolve();
    expect(await progress).toMatchObject(given.succeeded);
    expect(sink.atOnce).toBe(1);
    given.expectShown(sink);
  });
}

/** The parts arrive one by one. */
async function* chunksOf(parts: readonly (string | Buffer)[]): AsyncIterable<string | Buffer> {
  for (const part of parts) {
    if (part.length === 0) continue;
    yield part;
    await delay(1);
  }
}

/** Cut inside each character that is not ASCII, and between CR and LF. */
function splitParts(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const cuts = [...bytes.keys()].filter((at) => (bytes[at] ?? 0) >= 0x80 || bytes[at - 1] === 0x0d);
  return [0, ...cuts].map((at, index) => bytes.subarray(at, cuts[index] ?? bytes.length));
}
