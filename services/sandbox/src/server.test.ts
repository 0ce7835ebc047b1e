import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { classesOf } from '@holdfast/kit/http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { createRunEvents } from './events.ts';
import { createSandbox } from './server.ts';

type Prediction = {
  id: string;
  status: string;
  output: unknown;
  error?: string;
  logs: string;
  metrics: Record<string, unknown>;
};

let server: Server;
let base: string;
/** Webhooks that were given up. */
let lost = 0;
let changedPrototypes = 0;

beforeAll(async () => {
  const onLostWebhook = () => void (lost += 1);
  const app = createSandbox({ maxRunning: 100, onLostWebhook });
  server = createServer(classesOf(app), (request, response) => {
    const before = [request, response].map(Object.getPrototypeOf);
    app(request, response);
    if ([request, response].some((made, index) => Object.getPrototypeOf(made) !== before[index]))
      changedPrototypes += 1;
  });
  base = await listen(server);
});

afterAll(() => close(server));

async function listen(on: Server): Promise<string> {
  await new Promise<void>((resolve) => on.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(on.address() as AddressInfo).port}`;
}

async function close(of: Server): Promise<void> {
  of.closeAllConnections();
  await new Promise((resolve) => of.close(resolve));
}

it('has no prototype changed by Express', async () => {
  const { status } = await fetch(`${base}/healthz`);
  expect([status, changedPrototypes]).toEqual([200, 0]);
});

let last = 0;

async function put(
  model: string,
  body: object,
  options: { id?: string; isAsync?: boolean; signal?: AbortSignal } = {},
) {
  last += 1;
  const { id = `run-${last}`, isAsync = false, signal = null } = options;
  const response = await fetch(`${base}/${model}/predictions/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...(isAsync ? { prefer: 'respond-async' } : {}) },
    body: JSON.stringify(body),
    signal,
  });
  return { status: response.status, prediction: (await response.json()) as Prediction };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** A receiver of webhooks; `statusOf` returns the status for its first, second ... call. */
async function startReceiver(statusOf: (call: number) => number) {
  const received: Prediction[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push(JSON.parse(text) as Prediction);
      response.writeHead(statusOf(received.length)).end();
    });
  });
  return { server: receiver, received, url: await listen(receiver) };
}

async function images(prediction: Prediction): Promise<Buffer[]> {
  const urls = prediction.output as string[];
  return Promise.all(urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
}

describe('sandbox-text', () => {
  it('returns text, tokens and the requested cost', async () => {
    const { status, prediction } = await put('sandbox-text', {
      input: { prompt: 'hello there', cost: '0.5' },
    });
    expect(status).toBe(200);
    expect(prediction).toMatchObject({
      status: 'succeeded',
      output: expect.arrayContaining(['"hello ', 'there". ']),
      metrics: { input_token_count: 3, output_token_count: 13, cost: '0.5' },
    });
  });

  it('fails with the requested code', async () => {
    const { prediction } = await put('sandbox-text', { input: { prompt: 'x', fail: 'MODEL_OVERLOADED' } });
    expect(prediction).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^MODEL_OVERLOADED: ./),
    });
  });

  it('refuses an invalid input and names the field', async () => {
    const { status, prediction } = await put('sandbox-text', { input: { prompt: 5, what: 1 } });
    expect(status).toBe(422);
    expect(prediction).toMatchObject({
      detail: expect.arrayContaining([expect.objectContaining({ loc: ['body', 'input', 'prompt'] })]),
    });
  });
});

const cancel = (id: string) => fetch(`${base}/sandbox-text/predictions/${id}/cancel`, { method: 'POST' });

describe('predictions', () => {
  it('return the current run to a second PUT of its id, and forget it at its end', async () => {
    const input = { prompt: 'once', delay_ms: 1000 };
    const first = put('sandbox-text', { input }, { id: 'same' });
    await until(async () => (await put('sandbox-text', { input: [] }, { id: 'same' })).status === 202);
    const { prediction } = await put('sandbox-text', { input: [] }, { id: 'same' });
    expect(prediction).toMatchObject({ id: 'same', status: 'processing' });
    expect((await first).prediction).toMatchObject({
      status: 'succeeded',
      logs: expect.stringContaining('100%|'),
    });
    expect((await put('sandbox-text', { input: [] }, { id: 'same' })).status).toBe(422);
    const again = await put('sandbox-text', { input: { prompt: 'other' } }, { id: 'same' });
    expect(again.prediction.output).toContain('"other". ');
  });

  it('cancel a run whose connection is closed before its end', async () => {
    const closing = new AbortController();
    const input = { prompt: 'x', delay_ms: 600_000 };
    const cut = put('sandbox-text', { input }, { id: 'cut', signal: closing.signal });
    await until(async () => (await put('sandbox-text', { input: [] }, { id: 'cut' })).status === 202);
    closing.abort();
    await expect(cut).rejects.toThrow();
    await until(async () => (await put('sandbox-text', { input: [] }, { id: 'cut' })).status === 422);
  });

  it('return 202 at once and call the webhook, and repeat the call after a transient error', async () => {
    const receiver = await startReceiver((call) => (call === 1 ? 500 : 200));
    const { status, prediction } = await put(
      'sandbox-text',
      {
        input: { prompt: 'later', delay_ms: 50 },
        webhook: receiver.url,
        webhook_events_filter: ['completed'],
      },
      { id: 'called', isAsync: true },
    );
    expect([status, prediction]).toEqual([202, { id: 'called', status: 'starting' }]);
    await until(async () => receiver.received.length === 2);
    expect(receiver.received[1]).toMatchObject({ id: 'called', status: 'succeeded' });
    expect(receiver.received[1]).toEqual(receiver.received[0]);
    await close(receiver.server);
  });

  it('do not repeat a webhook that was refused permanently', async () => {
    const receiver = await startReceiver(() => 413);
    const call = { input: { prompt: 'x' }, webhook: receiver.url };
    const before = lost;
    await put('sandbox-text', call, { isAsync: true });
    await until(async () => lost > before);
    expect(receiver.received).toHaveLength(1);
    await close(receiver.server);
  });

  it('end a cancelled run at once as canceled, and return 404 for an ended one', async () => {
    const receiver = await startReceiver(() => 200);
    const call = { input: { prompt: 'x', delay_ms: 600_000 }, webhook: receiver.url };
    const { status } = await put('sandbox-text', call, { id: 'c', isAsync: true });
    expect(status).toBe(202);
    expect((await cancel('c')).status).toBe(200);
    await until(async () => receiver.received.length === 1);
    expect(receiver.received[0]).toMatchObject({ id: 'c', status: 'canceled' });
    expect((await cancel('c')).status).toBe(404);
    await close(receiver.server);
  });

  it('list their models and the time of their start', async () => {
    expect(await (await fetch(`${base}/sandbox-text/health-check`)).json()).toMatchObject({
      status: 'READY',
      setup: { started_at: expect.stringMatching(/Z$/) },
    });
    expect((await fetch(`${base}/constructor/health-check`)).status).toBe(404);
    expect((await put('nothing', { input: {} })).status).toBe(404);
  });
});

type StreamEvent = { event: string; data: object };

/** Opens a stream of a run of `sandbox-text`, or of `model`. */
async function stream(id: string, input: object, options: { model?: string; signal?: AbortSignal } = {}) {
  const { model = 'sandbox-text', signal = null } = options;
  return await fetch(`${base}/${model}/predictions/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ input }),
    signal,
  });
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      yield { event, data: JSON.parse(data) as StreamEvent['data'] };
    }
  }
}

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const read: StreamEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

const chunks = (events: StreamEvent[]) =>
  events.filter(({ event }) => event === 'output').map(({ data }) => (data as { chunk: unknown }).chunk);

describe('streams of a run', () => {
  it('have its log, words, metrics and the prediction, in the shapes of Cog', async () => {
    const response = await stream('shapes', { prompt: 'hi', tokens: 2, tokens_per_s: 1000, delay_ms: 1000 });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const events = await all(eventsOf(response));
    expect(events[0]).toEqual({ event: 'start', data: { id: 'shapes', status: 'processing' } });
    expect(events[1]).toEqual({
      event: 'log',
      data: { source: 'stdout', data: ' 10%|#         | 1/10\n' },
    });
    expect(events.slice(-5)).toEqual([
      { event: 'output', data: { chunk: 'You ', index: 0 } },
      { event: 'output', data: { chunk: 'wrote ', index: 1 } },
      { event: 'metric', data: { name: 'input_token_count', value: 1, mode: 'replace' } },
      { event: 'metric', data: { name: 'output_token_count', value: 2, mode: 'replace' } },
      {
        event: 'completed',
        data: expect.objectContaining({
          id: 'shapes',
          status: 'succeeded',
          output: ['You ', 'wrote '],
          logs: expect.stringContaining('100%|'),
          metrics: { input_token_count: 1, output_token_count: 2, predict_time: expect.any(Number) },
        }),
      },
    ]);
  });

  it('write as many words as asked for, at the speed asked for', async () => {
    const startedMs = performance.now();
    const events = await all(
      eventsOf(await stream('fast', { prompt: 'hi', tokens: 100, tokens_per_s: 500 })),
    );
    expect(performance.now() - startedMs).toBeGreaterThan(190);
    expect(chunks(events)).toHaveLength(100);
    const { prediction } = await put('sandbox-text', { input: { prompt: 'hi', tokens: 100 } });
    expect(prediction.output).toEqual(chunks(events));
  });

  it('fail after the words asked for', async () => {
    const input = { prompt: 'hi', fail: 'MODEL_OVERLOADED', fail_after_tokens: 3, tokens_per_s: 1000 };
    const events = await all(eventsOf(await stream('fails', input)));
    expect(chunks(events)).toEqual(['You ', 'wrote ', 'one ']);
    expect(events.at(-1)).toMatchObject({
      event: 'completed',
      data: { status: 'failed', error: expect.stringMatching(/^MODEL_OVERLOADED: ./) },
    });
  });

  it('are given from the first event to a repeated PUT, whose end does not cancel while one is read', async () => {
    const input = { prompt: 'hi', tokens: 20, tokens_per_s: 20 };
    const first = eventsOf(await stream('twice', input));
    await first.next();
    await first.next();
    const leaving = new AbortController();
    const second = eventsOf(await stream('twice', { no: 'input' }, { signal: leaving.signal }));
    expect((await second.next()).value).toMatchObject({ event: 'start' });
    expect((await second.next()).value).toMatchObject({ event: 'output', data: { index: 0 } });
    leaving.abort();
    const rest = await all(first);
    expect(rest.at(-1)).toMatchObject({ event: 'completed', data: { status: 'succeeded' } });
  });

  it('cancel the run when the last of them is closed', async () => {
    const leaving = new AbortController();
    const input = { prompt: 'hi', tokens: 1000, tokens_per_s: 1 };
    const open = eventsOf(await stream('left', input, { signal: leaving.signal }));
    await open.next();
    leaving.abort();
    await until(async () => (await put('sandbox-text', { input: [] }, { id: 'left' })).status === 422);
  });

  it('end with an error for a reader that comes after events were dropped', async () => {
    const events = createRunEvents();
    for (let index = 0; index < 1030; index++) events.add('output', { chunk: '', index });
    expect(await all(events.read())).toEqual([
      {
        event: 'error',
        data: { error: 'SSE stream replay truncated; events were dropped', skipped: 6 },
      },
    ]);
  });

  it('end with an error for a reader that falls too far behind', async () => {
    const events = createRunEvents();
    events.add('start', {});
    const reader = events.read();
    expect(await reader.next()).toMatchObject({ value: { event: 'start' } });
    for (let index = 0; index < 1025; index++) events.add('output', { chunk: '', index });
    expect(await all(reader)).toEqual([
      { event: 'error', data: { error: 'SSE stream lagged; events were dropped', skipped: 1 } },
    ]);
  });

  it('are refused with 406 by a model that has none', async () => {
    const response = await stream('none', { prompt: 'hi' }, { model: 'image-transform' });
    expect([response.status, await response.json()]).toEqual([
      406,
      { error: expect.stringContaining('does not support streaming responses') },
    ]);
  });
});

describe('sandbox-moderation', () => {
  it.each([
    ['I will kill you', [true]],
    [
      ['a lighthouse', 'you idiot'],
      [false, true],
    ],
    [
      [
        { type: 'text', text: 'blood' },
        { type: 'image_url', image_url: { url: 'http://a/b' } },
      ],
      [true],
    ],
  ])('finds words in %j', async (input, flagged) => {
    const { prediction } = await put('sandbox-moderation', { input: { input } });
    const { results } = prediction.output as { results: { flagged: boolean }[] };
    expect(results.map((one) => one.flagged)).toEqual(flagged);
  });
});

describe('sandbox-video', () => {
  it.each([undefined, 1, 7])('shows a film of %s seconds', async (duration) => {
    const { prediction } = await put('sandbox-video', { input: { prompt: 'x', duration } });
    const url = String(prediction.output);
    expect(url).toMatch(/^data:video\/mp4;base64,/);
    const film = Buffer.from(await (await fetch(url)).arrayBuffer());
    const at = film.indexOf('mvhd') + 16;
    expect(film.readUInt32BE(at + 4) / film.readUInt32BE(at)).toBe(duration ?? 4);
  });
});

describe('sandbox-image', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('draws %s of the requested size', async (format) => {
    const prompt = 'a <fox> & "friends" \u0000\ud800 in the snow';
    const { prediction } = await put('sandbox-image', {
      input: { prompt, width: 300, height: 200, format, count: 2 },
    });
    expect(prediction.error).toBeUndefined();
    const drawn = await images(prediction);
    expect(drawn).toHaveLength(2);
    expect(await sharp(drawn[0]).metadata()).toMatchObject({ format, width: 300, height: 200 });
    expect(drawn[0]?.equals(drawn[1] ?? Buffer.alloc(0))).toBe(false);
  });

  it('returns large images as URLs that it serves', async () => {
    const { prediction } = await put('sandbox-image', {
      input: { prompt: 'big', width: 2048, height: 2048 },
    });
    expect(prediction.output).toEqual([expect.stringMatching(`^${base}/outputs/[0-9a-f]{32}$`)]);
    expect(await sharp((await images(prediction))[0]).metadata()).toMatchObject({ width: 2048 });
  });
});

const source = () =>
  sharp({ create: { width: 40, height: 20, channels: 3, background: '#ff0000' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();

describe('image-transform', () => {
  it('rotates, scales, converts to grey and converts formats', async () => {
    const source_image = `data:image/jpeg;base64,${(await source()).toString('base64')}`;
    const { prediction } = await put('image-transform', {
      input: { source_image, height: 80, grayscale: true, format: 'png' },
    });
    const [image] = await images(prediction);
    expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width: 40, height: 80 });
    const { channels } = await sharp(image).toColourspace('srgb').removeAlpha().stats();
    expect(channels[0]?.mean).toBeCloseTo(channels[2]?.mean ?? -1, 0);
  });

  it('fetches its source from a URL', async () => {
    const drawn = await put('sandbox-image', { input: { prompt: 'x', width: 2000, height: 2000 } });
    const [source_image] = drawn.prediction.output as string[];
    const { prediction } = await put('image-transform', { input: { source_image, width: 50 } });
    expect(await sharp((await images(prediction))[0]).metadata()).toMatchObject({
      format: 'png',
      height: 50,
    });
  });

  it.each([
    ['FILE_NOT_FOUND', () => `${base}/outputs/none`],
    ['GENERATION_FAILED', () => 'http://127.0.0.1:1/x'],
    ['INPUT_VALIDATION_ERROR', () => '/etc/passwd'],
  ])('fails with %s on a source that cannot be fetched', async (code, url) => {
    const { prediction } = await put('image-transform', { input: { source_image: url() } });
    expect(prediction.error).toMatch(new RegExp(`^${code}: `));
  });

  it('keeps format and size by default', async () => {
    const source_image = `data:image/jpeg;base64,${(await source()).toString('base64')}`;
    const { prediction } = await put('image-transform', { input: { source_image } });
    expect(await sharp((await images(prediction))[0]).metadata()).toMatchObject({
      format: 'jpeg',
      width: 20,
      height: 40,
    });
  });

  it.each([
    ['text', Buffer.from('not a image')],
    ['nothing', Buffer.alloc(0)],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['half a image', null],
  ])('fails with FILE_FORMAT_UNSUPPORTED on %s', async (_name, given) => {
    const bytes =
      given ??
      (
        await sharp({ create: { width: 300, height: 300, channels: 3, background: '#123456' } })
          .png()
          .toBuffer()
      ).subarray(0, 200);
    const source_image = `data:image/png;base64,${bytes.toString('base64')}`;
    const { prediction } = await put('image-transform', { input: { source_image } });
    expect(prediction).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^FILE_FORMAT_UNSUPPORTED: /),
    });
  });

  it('refuses a side that would become too large', async () => {
    const strip = await sharp({ create: { width: 2, height: 1000, channels: 3, background: '#000' } })
      .png()
      .toBuffer();
    const source_image = `data:image/png;base64,${strip.toString('base64')}`;
    const { prediction } = await put('image-transform', { input: { source_image, width: 4096 } });
    expect(prediction.error).toMatch(/^INPUT_VALIDATION_ERROR: /);
  });
});
