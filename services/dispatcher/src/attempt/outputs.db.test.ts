import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Success } from '@holdfast/domain/outcome';
import { DownloadError } from '@holdfast/egress/download';
import { longMp4, mp4, png, wav } from '@holdfast/files/testing/media';
import { heldBody, type OutputBody, responseBody } from '@holdfast/providers/outputBody';
import { type StoredFile, UnusableOutput } from '@holdfast/providers/outputFiles';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Files } from './outputFile.ts';
import { type CopyBounds, copyOutput, isRetryableCopy, withMeasuredFiles } from './outputs.ts';
import { madeOutput, startCopying } from './testing/copying.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());

const never = new AbortController().signal;
const bounds = { timeoutMs: 10_000, pausesMs: [1, 1], maxTotalBytes: 1024 ** 3 };

const sends = (bytes: Buffer, type?: string) => (_request: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-length': bytes.length, ...(type && { 'content-type': type }) });
  response.end(bytes);
};

/** Copies an output; returns the result and the stored files. */
async function copied(
  kind: 'images' | 'videos' | 'audios' | 'files' | 'raw',
  urls: string[],
  more: {
    output?: object;
    bounds?: Partial<CopyBounds>;
    store?: Partial<Files['store']>;
    signal?: AbortSignal;
    connection?: string;
    bodies?: OutputBody[];
  } = {},
) {
  const run = await copying.newRun();
  const ours = await copyOutput(
    { ...copying.files, store: { ...copying.files.store, ...more.store } },
    copying.log,
    copying.routeOf({ kind, ...more.output }, more.connection),
    run,
    { outcome: madeOutput(kind, ...urls), ...(more.bodies && { bodies: more.bodies }) },
    more.signal ?? never,
    { ...bounds, ...more.bounds },
  );
  return { success: ours && ours.success, files: await copying.filesOf(run.executionId) };
}

describe('the output of a run', () => {
  it('is stored whole, measured and kept', async () => {
    const { file } = copying.provider;
    const long = longMp4(1_000_000);
    const { success, files } = await copied('videos', [file(sends(long, 'video/mp4')), file(sends(mp4))]);
    const entry = {
      file_id: expect.stringMatching(/^file_/),
      format: 'mp4',
      width: 640,
      height: 360,
      duration: 3,
    };
    expect(success?.output).toEqual({ videos: [entry, entry] });
    expect(success?.measured.megapixels).toBeCloseTo(2 * 0.2304);
    expect(files).toHaveLength(2);
    for (const stored of files) {
      expect(stored).toMatchObject({ kept: true, durationMs: 3000, contentType: 'video/mp4' });
      // Models derive the type of a file by its URL's path.
      expect(stored.key).toMatch(/\.mp4$/);
      expect(stored.object).toMatchObject({ sizeBytes: stored.sizeBytes });
    }
    expect(new Set(files.map(({ sizeBytes }) => sizeBytes))).toEqual(new Set([long.length, mp4.length]));
  });

  it('may be a data URL with sound', async () => {
    const url = `data:audio/wav;base64,${wav(4000).toString('base64')}`;
    const { success, files } = await copied('audios', [url]);
    expect(success?.output.audios).toEqual([{ file_id: files[0]?.id, format: 'wav', duration: 0.5 }]);
    expect(success?.measured).toEqual({ outputSeconds: 0.5 });
  });

  it('of kind files keeps any file, under the name that the provider gave it', async () => {
    const { file } = copying.provider;
    const weights = Buffer.from('\x40\0\0\0\0\0\0\0{"__metadata__":{}}');
    const named = file((_request, response) =>
      response
        .writeHead(200, { 'content-disposition': 'inline; filename="../my lora.SafeTensors"' })
        .end(weights),
    );
    const page = `data:text/html;name=page%201.html;base64,${Buffer.from('<html>').toString('base64')}`;
    const cut = file(sends(png.subarray(0, 40)));
    const { success, files } = await copied('files', [named, page, cut]);
    expect(success?.output.files).toMatchObject(['safetensors', 'html', 'png'].map((format) => ({ format })));
    expect(new Map(files.map(({ filename, contentType }) => [filename, contentType]))).toEqual(
      new Map([
        ['my lora.SafeTensors', 'application/octet-stream'],
        ['page 1.html', 'application/octet-stream'],
        [`${files.find(({ contentType }) => contentType === 'image/png')?.id}.png`, 'image/png'],
      ]),
    );
    for (const { id, key } of files) expect(key).toMatch(new RegExp(`^${id}\\.(safetensors|html|png)$`));
  });

  it('may have 20 files, and one that is named twice is stored twice', async () => {
    const { file, requestsFor } = copying.provider;
    const urls = Array.from({ length: 19 }, () => file(sends(png)));
    const [first = ''] = urls;
    const { success, files } = await copied('images', [...urls, first]);
    const ids = ((success?.output.images ?? []) as { file_id: string }[]).map(({ file_id: id }) => id);
    expect(new Set(ids).size).toBe(20);
    expect(files.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(requestsFor(first)).toBe(2);
  });

  it('may be a file of 100 MB without a Content-Length', async () => {
    const sizeBytes = 100 * 1024 * 1024;
    const url = copying.provider.file((_request, response) => {
      response.writeHead(200);
      Readable.from(zeros(sizeBytes - 8), { objectMode: false }).pipe(response);
      response.write(Buffer.from('glTF\x02\0\0\0', 'latin1'));
    });
    const { success, files } = await copied('files', [url]);
    // A fetch that a busy machine broke off leaves a row of its own, which is dropped.
    const [kept, ...others] = files.filter((file) => file.kept);
    expect(others).toEqual([]);
    expect(success?.output.files).toEqual([{ file_id: kept?.id, format: 'glb' }]);
    expect(kept?.object).toMatchObject({ sizeBytes });
  });

  it('is fetched again when a response breaks off or fails', async () => {
    const short = (_request: unknown, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': png.length });
      response.write(png.subarray(0, 30), () => response.socket?.destroy());
    };
    const busy = (_request: unknown, response: ServerResponse) => response.writeHead(503).end();
    const url = copying.provider.file(short, busy, sends(png));
    const other = copying.provider.file(sends(png));
    const { success, files } = await copied('images', [url, other]);
    expect(success?.output.images).toHaveLength(2);
    expect(copying.provider.requestsFor(url)).toBe(3);
    expect(copying.provider.requestsFor(other)).toBe(1);
    expect(files.filter(({ kept }) => kept)).toHaveLength(2);
    expect(files.every(({ kept, dropped }) => kept || dropped)).toBe(true);
  });

  it('is fetched from its own provider in any network, and from others at public addresses only', async () => {
    const url = copying.provider.file(sends(png));
    expect((await copied('images', [url], { connection: 'other' })).success).toBeNull();
    expect((await copied('raw', [url])).success).toBeNull();
    expect(copying.provider.requestsFor(url)).toBe(0);
    expect((await copied('images', [url])).success).not.toBeNull();
  });

  it('is a file if it is a text that is too long for its execution', async () => {
    const outputOf = async (text: string) => {
      const run = await copying.newRun();
      const outcome = { ...madeOutput('text'), output: { text } };
      const route = copying.routeOf({ kind: 'text' });
      const made = await copyOutput(copying.files, copying.log, route, run, { outcome }, never, bounds);
      return { output: made?.success.output, files: await copying.filesOf(run.executionId) };
    };
    const { outputLength } = limits;
    const envelope = '{"text":""}'.length;
    const fitting = [
      'short',
      'x'.repeat(outputLength - envelope),
      '\n'.repeat((outputLength - envelope - 1) / 2),
    ];
    for (const text of fitting) expect((await outputOf(text)).output).toEqual({ text });
    for (const text of [
      'x'.repeat(outputLength),
      '\n'.repeat(outputLength / 2),
      '\x01'.repeat(outputLength / 6),
    ])
      expect((await outputOf(text)).output).toHaveProperty('text_file');
    const { output, files } = await outputOf('ü'.repeat(outputLength));
    expect(output).toEqual({ text: 'ü'.repeat(65_536), text_file: { file_id: files[0]?.id, format: 'txt' } });
    expect(files).toMatchObject([{ kept: true, sizeBytes: 2 * outputLength, contentType: 'text/plain' }]);
  });

  it('is fetched from the private network of its provider if the model says where raw output has files', async () => {
    const url = copying.provider.file(sends(png));
    expect((await copied('raw', [url], { output: { files: ['$.raw[*].url'] } })).success).not.toBeNull();
  });

  it('is fetched over plain http from the store that the operator names for the provider', async () => {
    const url = copying.provider.file(sends(png));
    expect((await copied('images', [url], { connection: 'beside' })).success).not.toBeNull();
    expect((await copied('raw', [url], { connection: 'beside' })).success).toBeNull();
    expect(copying.provider.requestsFor(url)).toBe(1);
  });
});

describe('an output file that is the response itself', () => {
  const streamed = (bytes: Buffer, type = 'image/png') => ({
    ok: true as const,
    status: 200,
    headers: { 'content-type': `${type}; charset=binary` },
    bodyText: '',
    json: undefined,
    stream: Readable.from([bytes], { objectMode: false }),
  });

  it('is streamed into the store', async () => {
    const body = responseBody(streamed(png));
    const { success, files } = await copied('images', [body.reference], { bodies: [body] });
    expect(success?.output.images).toMatchObject([{ file_id: files[0]?.id, format: 'png' }]);
    expect(files[0]).toMatchObject({ kept: true, object: { sizeBytes: png.length } });
  });

  it('is requested again when it breaks off, where the provider allows it', async () => {
    const broken = { ...streamed(png), stream: Readable.from(half(png), { objectMode: false }) };
    const requests: AbortSignal[] = [];
    const body = responseBody(broken, async (signal) => {
      requests.push(signal);
      return streamed(png);
    });
    const { success } = await copied('files', [body.reference], { bodies: [body] });
    expect(success?.output.files).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it('fails the run when it breaks off and cannot be requested again', async () => {
    const broken = { ...streamed(png), stream: Readable.from(half(png), { objectMode: false }) };
    const body = responseBody(broken);
    const { success, files } = await copied('images', [body.reference], { bodies: [body] });
    expect(success).toBeNull();
    expect(files.filter(({ kept }) => kept)).toEqual([]);
  });

  it('is stored from memory when it was read before and is small', async () => {
    const body = heldBody(new Blob([png]), 'image/png');
    const first = await body.open(never);
    first.destroy();
    const { success } = await copied('raw', [body.reference], { bodies: [body] });
    expect(success?.output).toEqual({ raw: [{ url: expect.objectContaining({ format: 'png' }) }] });
  });

  it('is refused when it is larger than the model allows', async () => {
    const body = responseBody(streamed(png));
    const output = { max_file_bytes: png.length - 1 };
    expect((await copied('images', [body.reference], { bodies: [body], output })).success).toBeNull();
  });

  it('is not used for a text that only looks like its reference', async () => {
    const { reference } = heldBody(new Blob([png]), 'image/png');
    expect((await copied('raw', [reference])).success?.output).toEqual({ raw: [{ url: reference }] });
    expect((await copied('images', [reference])).success).toBeNull();
  });
});

describe('an output that cannot be copied keeps no file', () => {
  /** With one good file, which is dropped too. */
  async function fails(
    bad: string[],
    kind: 'images' | 'files' = 'images',
    more: Parameters<typeof copied>[2] = {},
  ) {
    const good = copying.provider.file(sends(png));
    const { success, files } = await copied(kind, [good, ...bad], more);
    expect(success).toBeNull();
    expect(files.filter(({ dropped }) => !dropped)).toEqual([]);
    return files;
  }

  it('when it has no files', async () => {
    expect(await copied('images', [])).toEqual({ success: null, files: [] });
  });

  it('when it has more files than the model allows', async () => {
    const { file } = copying.provider;
    expect(await fails([file(sends(png))], 'images', { output: { max_files: 1 } })).toEqual([]);
  });

  it('when a file is not of its declared type', async () => {
    const { file, requestsFor } = copying.provider;
    const page = file(sends(Buffer.from('<html>Not Found</html>'), 'image/png'));
    await fails([page]);
    await fails([file(sends(mp4, 'image/png'))]);
    await fails([file(sends(Buffer.alloc(0)))]);
    await fails([file(sends(png.subarray(0, -12)))]);
    expect(requestsFor(page)).toBe(1);
  });

  it('when a file is redirected to an address that is not public', async () => {
    const inner = await startCopying();
    const secret = inner.provider.file(sends(png));
    const url = copying.provider.file((_request, response) =>
      response.writeHead(302, { location: secret }).end(),
    );
    await fails([url]);
    expect([inner.provider.requestsFor(secret), copying.provider.requestsFor(url)]).toEqual([0, 1]);
    await inner.close();
  });

  it('when a file is larger than allowed, with and without a Content-Length', async () => {
    const { file } = copying.provider;
    const big = Buffer.concat([png, Buffer.alloc(400_000)]);
    const output = { max_file_bytes: 300_000 };
    const unsaid = file((_request, response) => {
      response.writeHead(200);
      response.write(big);
      response.end();
    });
    await fails([file(sends(big))], 'images', { output });
    await fails([unsaid], 'images', { output });
    await fails([`data:;base64,${big.toString('base64')}`], 'images', { output });
    expect(copying.provider.requestsFor(unsaid)).toBe(1);
  });

  it('when its files together are too large', async () => {
    const big = Buffer.concat([png, Buffer.alloc(100_000)]);
    const urls = Array.from({ length: 3 }, () => copying.provider.file(sends(big)));
    await fails(urls, 'images', { bounds: { maxTotalBytes: 250_000 } });
    expect((await copied('images', urls, { bounds: { maxTotalBytes: 350_000 } })).success).not.toBeNull();
  });

  it('when a file takes too long, at every try', async () => {
    const url = copying.provider.file((_request, response) => {
      response.writeHead(200, { 'content-length': png.length });
      response.write(png.subarray(0, 40));
    });
    await fails([url], 'images', { bounds: { timeoutMs: 1000 } });
    expect(copying.provider.requestsFor(url)).toBe(3);
  });

  it('when the run ends during the copy', async () => {
    const ending = new AbortController();
    const url = copying.provider.file((_request, response) => {
      response.writeHead(200);
      response.write(Buffer.concat([png, Buffer.alloc(400_000)]), () => setImmediate(() => ending.abort()));
    });
    await fails([url], 'images', { signal: ending.signal });
  });
});

describe('a copy that fails', () => {
  /** A store that is unavailable for the first writes, and the failures that are reported. */
  function failingStore(failures: number) {
    const { store } = copying.files;
    const reported: unknown[] = [];
    let writes = 0;
    const put: typeof store.put = async (...args) => {
      writes += 1;
      if (writes <= failures) throw new Error('connect ECONNREFUSED');
      return await store.put(...args);
    };
    return {
      store: { put },
      onFailure: (error: unknown) => reported.push(error),
      reported,
      writes: () => writes,
    };
  }
  const url = `data:image/png;base64,${png.toString('base64')}`;

  it('is retried while the store is unavailable', async () => {
    const { store, onFailure, reported } = failingStore(2);
    const { success } = await copied('images', [url], { store, bounds: { onFailure } });
    expect(success).not.toBeNull();
    expect(reported).toHaveLength(2);
  });

  it('is given up when no pause is left', async () => {
    const { store, writes } = failingStore(Number.POSITIVE_INFINITY);
    expect((await copied('images', [url], { store })).success).toBeNull();
    expect(writes()).toBe(3);
  });

  it('is given up in the middle of a pause when the run ends', async () => {
    const { store, writes } = failingStore(Number.POSITIVE_INFINITY);
    const ending = new AbortController();
    const onFailure = () => setImmediate(() => ending.abort());
    const more = { store, bounds: { onFailure, pausesMs: [600_000] }, signal: ending.signal };
    expect((await copied('images', [url], more)).success).toBeNull();
    expect(writes()).toBe(1);
  });

  it.each([
    ['a type that is not stored', new UnusableOutput('no type')],
    ['an address that is refused', new DownloadError('policy', 'private')],
    ['a file that is too large', new DownloadError('too_large', 'too large')],
    ['a file that is not found', new DownloadError('status', 'responded with 404', 404)],
  ])('is not retried for %s', (_reason, error) => {
    expect(isRetryableCopy(error)).toBe(false);
  });

  it.each([
    new DownloadError('network', 'reset'),
    new DownloadError('status', 'responded with 503', 503),
    new DownloadError('status', 'responded with 429', 429),
  ])('is retried for a host that may recover: $message', (error) => {
    expect(isRetryableCopy(error)).toBe(true);
  });
});

const measuredByProvider: Success = {
  ok: true,
  output: {},
  usage: { inputTokens: 1, outputTokens: 2 },
  measured: { seconds: 3 },
};

it('stored files are measured by their pixels and seconds, whatever the provider reported about them', () => {
  const files: StoredFile[] = [
    { file_id: 'file_a', format: 'png', width: 1000, height: 2000 },
    { file_id: 'file_b', format: 'mp4', width: 500, height: 1000, duration: 5 },
    { file_id: 'file_c', format: 'wav', duration: 5 },
  ];
  const measuredIn = (kind: OutputKind, of = files, measured: Success['measured'] = {}) =>
    withMeasuredFiles({ ...measuredByProvider, measured }, of, kind).measured;
  expect(withMeasuredFiles(measuredByProvider, files, 'files')).toEqual({
    ...measuredByProvider,
    measured: { seconds: 3, outputSeconds: 10, megapixels: 2.5 },
  });
  expect(measuredIn('videos', files.slice(1, 2), { outputSeconds: 1_000_000 })).toEqual({
    outputSeconds: 5,
    megapixels: 0.5,
  });
  // A price by what only a part of the clips shows would be too low.
  expect(measuredIn('audios', [...files.slice(2), { file_id: 'file_d', format: 'wav' }])).toEqual({});
  expect(measuredIn('images', [...files.slice(0, 1), { file_id: 'file_d', format: 'png' }])).toEqual({});
});

function* zeros(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(65_536);
  for (let left = bytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

async function* half(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, 20);
  throw new Error('the connection was reset');
}
