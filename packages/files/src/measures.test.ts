import { describe, expect, it } from '@jest/globals';
import { measure } from './measures.ts';
import { longMp4, mov, mp4, png, soundWebm, wav, webm } from './testing/media.ts';

/** Measures a file of which the first `headBytes` are in memory, and returns which ranges were read. */
async function measured(contentType: string, bytes: Buffer, headBytes = 262_144) {
  const reads: [number, number][] = [];
  const file = { contentType, sizeBytes: bytes.length, head: bytes.subarray(0, headBytes) };
  const measures = await measure(file, async (start, end) => {
    reads.push([start, end]);
    return bytes.subarray(start, end + 1);
  });
  return { measures, readBytes: reads.reduce((sum, [start, end]) => sum + end - start + 1, 0) };
}

const nothing = { width: null, height: null, durationMs: null };
const video = { width: 640, height: 360, durationMs: 3000 };

describe('the measures of a file', () => {
  it.each([
    ['image/png', png, { ...nothing, width: 1, height: 1 }],
    ['video/mp4', mp4, video],
    ['video/quicktime', mov, video],
    ['video/webm', webm, video],
    ['audio/webm', soundWebm, { ...nothing, durationMs: 3000 }],
    ['audio/wav', wav(12_000), { ...nothing, durationMs: 1500 }],
    ['application/pdf', Buffer.from('%PDF-1.7'), nothing],
  ])('are found near the start of a %s', async (contentType, bytes, expected) => {
    const { measures, readBytes } = await measured(contentType, bytes);
    expect(measures).toEqual(expected);
    expect(readBytes).toBe(0);
  });

  it('are found at the end of a long MP4 without reading all of it', async () => {
    const { measures, readBytes } = await measured('video/mp4', longMp4(50_000_000));
    expect(measures).toEqual(video);
    expect(readBytes).toBeGreaterThan(0);
    expect(readBytes).toBeLessThan(500_000);
  });

  it.each([
    ['cut off', 'video/mp4', mp4.subarray(0, 300)],
    ['of nothing but a name', 'video/webm', webm.subarray(0, 40)],
    ['broken', 'image/png', png.subarray(0, 12)],
    ['empty', 'audio/wav', wav(0)],
  ])('are unknown for a file that is %s', async (_how, contentType, bytes) => {
    expect((await measured(contentType, bytes)).measures).toEqual(nothing);
  });

  it('are unknown when the claimed size is impossible', async () => {
    const giant = Buffer.from(png);
    giant.writeUInt32BE(2_147_483_647, 16);
    giant.writeUInt32BE(65_535, 20);
    expect((await measured('image/png', giant)).measures).toEqual({ ...nothing, height: 65_535 });
  });

  it('of a file with too many empty parts are unknown, and the event loop is not blocked meanwhile', async () => {
    const parts = Buffer.alloc(8_000_000);
    wav(0).copy(parts, 0, 0, 12);
    parts.writeUInt32LE(parts.length - 8, 4);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    expect((await measured('audio/wav', parts, parts.length)).measures).toEqual(nothing);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(20);
  });

  it('are unknown when most of the file would have to be read, or reading fails', async () => {
    const bytes = longMp4(60_000_000);
    // A table that claims to be longer than the file.
    const huge = Buffer.concat([bytes.subarray(0, 32), Buffer.from([3, 0x80, 0, 0]), Buffer.from('moov')]);
    const claims = Buffer.concat([huge, Buffer.alloc(59_000_000)]);
    const { measures, readBytes } = await measured('video/mp4', claims, 100);
    expect(measures).toEqual(nothing);
    expect(readBytes).toBeLessThan(9_000_000);
    const unreadable = { contentType: 'video/mp4', sizeBytes: bytes.length, head: bytes.subarray(0, 100) };
    expect(await measure(unreadable, () => Promise.reject(new Error('unavailable')))).toEqual(nothing);
  });
});
