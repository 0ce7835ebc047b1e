import { buffer } from 'node:stream/consumers';
import { png } from '@holdfast/files/testing/media';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPartialImages, openStoredFile } from './partialImages.ts';
import { startCopying } from './testing/copying.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());

const { signal } = new AbortController();
const untyped = (bytes: Buffer) => `data:application/octet-stream;base64,${bytes.toString('base64')}`;

async function opened(output: { max_file_bytes?: number } = {}) {
  const run = await copying.newRun();
  const keep = openPartialImages(copying.files, copying.log, copying.routeOf(output), run, 3600);
  return { run, keep: (url: string) => keep(url, signal) };
}

describe('a partial image', () => {
  it('is stored as its bytes say, and goes by itself', async () => {
    const { run, keep } = await opened();
    const id = await keep(untyped(png));
    expect(await copying.filesOf(run.executionId)).toMatchObject([
      { id, contentType: 'image/png', sizeBytes: png.length, kept: false, dropped: false },
    ]);
    expect(await buffer(await openStoredFile(copying.files, run, id ?? ''))).toEqual(png);
  });

  it.each([
    ['of no image', untyped(Buffer.from('%PDF-1.7\n')), {}],
    ['too large', untyped(png), { max_file_bytes: 10 }],
    ['at an address that is not public', 'http://10.0.0.1/a.png', {}],
  ])('%s is not shown, and its run goes on', async (_what, url, output) => {
    const { keep } = await opened(output);
    expect(await keep(url)).toBeNull();
  });

  it('after the hundredth of a run is not shown', async () => {
    const { keep } = await opened();
    for (let count = 0; count < 100; count++) await keep('data:,');
    expect(await keep(untyped(png))).toBeNull();
  });
});
