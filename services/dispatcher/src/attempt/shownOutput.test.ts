import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { StreamWrite, TakenStream } from '@holdfast/db/streams';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import type { Success } from '@holdfast/domain/outcome';
import type { Progress } from '@holdfast/providers/interface';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Route } from './route.ts';
import { createShownOutput } from './shownOutput.ts';

type Given = {
  definition?: Partial<ModelDefinition>;
  taken?: Partial<TakenStream>;
  /** What it may cost each time that it is asked; the last stays. */
  allowances?: string[];
  before?: string;
  write?(write: StreamWrite): Promise<boolean>;
  attempt?: number;
  remainingMs?: number;
};

/** A stream with a hold of 1 and a price of 0.01 for a token of one byte; `shown` reads as a client does. */
function open(given: Given = {}) {
  const writes: StreamWrite[] = [];
  let asked = 0;
  const definition = {
    stream: 'text',
    on_cancel: 'charge',
    bytes_per_token: 1,
    price: { per_output_token: '0.01' },
    estimate: { output_tokens: 50 },
    show_to_clients: ['logs'],
    output: { kind: 'text' },
    errors: [],
    input_schema: { type: 'object' },
    ...given.definition,
  } as unknown as ModelDefinition;
  const connection = { baseUrl: 'http://provider.test', apiKey: 'secret-key', settings: {} };
  const number = given.attempt ?? 1;
  const stream = createShownOutput({
    writer: { executionId: 'exec_1', attempt: number, claims: 0 },
    taken: { events: 0, shownBy: null, hold: '1', ...given.taken },
    kind: definition.stream ?? 'text',
    route: { definition, route: {}, connection } as unknown as Route,
    attempt: { attemptToken: 'token', number, remainingMs: given.remainingMs ?? 60_000 },
    takenAtMs: performance.now(),
    priced: { input: {}, files: new Map() },
    pauseMs: () => 0,
    async write(write) {
      if (given.write && !(await given.write(write))) return false;
      writes.push(structuredClone(write));
      return true;
    },
    allowance: async () => given.allowances?.[Math.min(asked++, given.allowances.length - 1)] ?? null,
    shownBefore: async () => given.before ?? null,
    keepImage: async (url) => (url === 'unusable' ? null : `file_${url}`),
    openFile: async (id) => Readable.from([Buffer.from(id)]),
  });
  const events = () => writes.flatMap((write) => write.events);
  const shown = () =>
    events().reduce((text, { type, data }) => {
      if (type === 'reset') return '';
      return type === 'output' ? text + (JSON.parse(data) as { delta: string }).delta : text;
    }, given.before ?? '');
  return { stream, writes, events, shown };
}

const ended = (text: string, more: Partial<Success> = {}): Progress => ({
  state: 'ended',
  outcome: { ok: true, output: { text }, usage: { inputTokens: 0, outputTokens: 0 }, measured: {}, ...more },
});
const failed: Progress = {
  state: 'ended',
  outcome: { ok: false, code: 'GENERATION_FAILED', message: 'failed' },
};
const cutOff: Progress = {
  state: 'unknown',
  outcome: { ok: false, code: 'GENERATION_FAILED', message: 'The connection broke.' },
};

describe('the output of a stream', () => {
  it('is shown whole and in order, however it comes in pieces, and no event splits a character', async () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constant('🙂'.repeat(3000)));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (texts) => {
        const { stream, events, shown } = open({ definition: { price: { per_run: '0.1' } } });
        for (const text of texts) await stream.sink.output(text);
        const text = texts.join('');
        await stream.finish(ended(text));
        expect(shown()).toBe(text.replaceAll('\0', '\ufffd'));
        for (const { data } of events()) {
          const { delta } = JSON.parse(data) as { delta: string };
          expect(delta.isWellFormed() || !text.isWellFormed()).toBe(true);
          expect(Buffer.byteLength(delta)).toBeLessThanOrEqual(4096);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has its logs between the pieces that they came between, without our keys', async () => {
    const { stream, events } = open();
    void stream.sink.output('a');
    stream.sink.logs('half way with secret-key\n');
    void stream.sink.output('b');
    await stream.finish(ended('ab'));
    expect(events().map(({ type }) => type)).toEqual(['output', 'logs', 'output']);
    expect(events()[1]?.data).not.toContain('secret-key');
  });

  it('is completed by what its provider returned at the end', async () => {
    const { stream, shown } = open();
    await stream.sink.output('once ');
    expect(await stream.finish(ended('once upon a time'))).toMatchObject({ state: 'ended' });
    expect(shown()).toBe('once upon a time');
  });

  it('begins again when its provider returned another one at the end', async () => {
    const { stream, events, shown } = open();
    await stream.sink.output('twice');
    await stream.finish(ended('once'));
    expect(events().map(({ type }) => type)).toEqual(['output', 'reset', 'output']);
    expect(shown()).toBe('once');
  });

  it('goes on where an earlier process stopped', async () => {
    const { stream, shown, events } = open({ taken: { events: 2, shownBy: 1 }, before: 'once ' });
    await stream.finish(ended('once upon'));
    expect([shown(), events()]).toEqual(['once upon', [expect.objectContaining({ type: 'output' })]]);
  });

  it('begins again in a later attempt', async () => {
    const { stream, events } = open({ taken: { events: 2, shownBy: 1 }, attempt: 2, before: 'once' });
    await stream.sink.output('twice');
    await stream.finish(ended('twice'));
    expect(events()[0]).toEqual({ type: 'reset', data: '{"attempt":2}' });
  });

  it('is read no faster than it is stored', async () => {
    let store: (isStored: boolean) => void = () => {};
    const { stream } = open({
      definition: { price: { per_run: '0.1' } },
      write: () => new Promise((resolve) => (store = resolve)),
    });
    await stream.sink.output('x');
    const second = stream.sink.output('y'.repeat(70_000)).then(() => 'read on');
    await new Promise(setImmediate);
    expect(await Promise.race([second, Promise.resolve('waits')])).toBe('waits');
    store(true);
    await new Promise(setImmediate);
    store(true);
    expect(await second).toBe('read on');
  });

  it('stops when the execution has ended or another dispatcher writes', async () => {
    const { stream, shown } = open({ write: async () => false });
    await stream.sink.output('late');
    expect(await stream.finish(ended('late'))).toBeNull();
    expect([stream.stop.aborted, shown()]).toEqual([true, '']);
  });
});

describe('the price of a stream', () => {
  it('grows with what is shown, by the usage that its provider reports or else by the bytes', async () => {
    const { stream, writes } = open();
    await stream.sink.output('abc');
    await new Promise(setImmediate);
    stream.sink.usage({ inputTokens: 7, outputTokens: 20 });
    await stream.sink.output('d');
    await stream.finish(ended('abcd', { usage: { inputTokens: 7, outputTokens: 20 } }));
    expect(writes.map(({ cost }) => Number(cost))).toEqual([0.03, 0.2]);
    expect(writes.at(-1)).toMatchObject({ inputTokens: 7, outputTokens: 20 });
  });

  it.each([
    ['the hold', undefined, 100],
    ['the hold and what the policy adds', ['1.5'], 150],
    ['what others leave of it', ['1.5', '1.5', '1.2'], 120],
  ])('never exceeds %s: the run is stopped and ends with what was shown', async (_what, allowances, most) => {
    const { stream, writes, shown } = open({ ...(allowances && { allowances }) });
    for (let piece = 0; piece < 20 && !stream.stop.aborted; piece++) {
      await stream.sink.output('0123456789');
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    const progress = await stream.finish(cutOff);
    expect(stream.stop.reason).toBe('budget');
    expect(shown()).toHaveLength(most);
    expect(Number(writes.at(-1)?.cost)).toBe(most / 100);
    expect(progress).toMatchObject({
      outcome: {
        ok: true,
        output: { text: shown() },
        finishReason: 'budget',
        isUsageEstimated: true,
        usage: { outputTokens: most },
      },
    });
  });

  it('does not escape its deadline by what is shown first after it', async () => {
    const { stream, shown } = open({ remainingMs: 1000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await stream.sink.output('late');
    while (!stream.stop.aborted) await new Promise(setImmediate);
    expect(await stream.finish(cutOff)).toMatchObject({ outcome: { ok: true, finishReason: 'deadline' } });
    expect(shown()).toBe('late');
  });

  it('is estimated by the bytes where its provider reports no usage at all', async () => {
    const { stream } = open();
    await stream.sink.output('abc');
    expect(await stream.finish(ended('abc'))).toMatchObject({
      outcome: { usage: { outputTokens: 3 }, isUsageEstimated: true },
    });
    const other = open();
    await other.stream.sink.output('abc');
    const known = await other.stream.finish(ended('abc', { usage: { inputTokens: 1, outputTokens: 2 } }));
    expect(known).toMatchObject({ outcome: { usage: { outputTokens: 2 } } });
    expect(known).not.toMatchObject({ outcome: { isUsageEstimated: true } });
  });
});

describe('a stream of files', () => {
  const painter = {
    stream: 'image',
    price: { per_image: '0.2', per_output_token: '0.001' },
    estimate: { images: 2, output_tokens: 100 },
    output: { kind: 'images' },
  } as unknown as Partial<ModelDefinition>;

  it('shows the images that could be stored, each at the price of all that the run will make', async () => {
    const { stream, events, writes } = open({ definition: painter });
    for (const url of ['a', 'unusable', 'b']) await stream.sink.output(url);
    const images = { ok: true, output: { images: [{ url: 'https://a/1.png' }] } };
    expect(await stream.finish(ended('', images as object))).toMatchObject({ outcome: images });
    const shown = ['file_a', 'file_b'].map((image) => ({ type: 'output', data: JSON.stringify({ image }) }));
    expect(events()).toEqual(shown);
    expect(new Set(writes.map(({ cost }) => Number(cost)))).toEqual(new Set([0.5]));
  });

  it('that costs more than its hold is not stopped before its images are finished', async () => {
    const { stream, events } = open({ definition: painter, taken: { hold: '0.1' } });
    await stream.sink.output('a');
    await stream.finish(ended(''));
    expect([stream.stop.aborted, events().length]).toEqual([false, 1]);
  });

  it.each([
    ['its last image', painter, 'a', 'images', 'file_a'],
    [
      'its sound so far',
      { stream: 'audio', output: { kind: 'audios' } } as Partial<ModelDefinition>,
      Buffer.from('ID3 so far'),
      'audios',
      'ID3 so far',
    ],
  ])('has %s as its output when its time is up', async (_what, definition, piece, kind, expected) => {
    const { stream } = open({ definition, remainingMs: 1000 });
    await stream.sink.output(piece);
    while (!stream.stop.aborted) await new Promise(setImmediate);
    const progress = (await stream.finish(cutOff)) as Extract<Progress, { state: 'ended' }>;
    const [body] = progress.bodies ?? [];
    expect(progress.outcome).toMatchObject({
      ok: true,
      finishReason: 'deadline',
      output: { [kind]: [{ url: body?.reference }] },
    });
    expect(await text((await body?.open(new AbortController().signal)) ?? Readable.from([]))).toBe(expected);
  });
});

describe('a stream that breaks off', () => {
  it.each([
    ['fails after something was shown', cutOff, {}, { state: 'ended', outcome: { ok: false } }],
    [
      'is run again with stream_restart',
      cutOff,
      { stream_restart: true },
      { state: 'refused', isLost: true },
    ],
    ['by an error of its provider fails with that error', failed, {}, failed],
    ['by an error is run again with stream_restart', failed, { stream_restart: true }, { state: 'refused' }],
  ] as const)('%s', async (_what, progress, definition, expected) => {
    const { stream } = open({ definition });
    await stream.sink.output('some');
    expect(await stream.finish(progress)).toMatchObject(expected);
  });

  it('before anything was shown is left as it is', async () => {
    expect(await open().stream.finish(cutOff)).toEqual(cutOff);
  });

  it('because its dispatcher died is run again, unless something was shown that cannot begin again', () => {
    const outcome = { ok: false, code: 'GENERATION_FAILED', message: 'lost' } as const;
    const shown = { events: 1, shownBy: 1 };
    expect(open().stream.brokenOff(outcome)).toMatchObject({ state: 'refused', isLost: true });
    expect(open({ taken: shown }).stream.brokenOff(outcome)).toEqual({ state: 'ended', outcome });
    expect(
      open({ taken: shown, definition: { stream_restart: true } }).stream.brokenOff(outcome),
    ).toMatchObject({
      state: 'refused',
    });
  });
});
