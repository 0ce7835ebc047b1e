import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { isUnreadable, measure } from './measures.ts';
import {
  adts,
  exifOf,
  fixture,
  id3,
  jpeg,
  longMp4,
  mov,
  mp3,
  mp4,
  png,
  soundWebm,
  wav,
  webm,
} from './testing/media.ts';

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

/** The frame that an encoder writes before the others, with their number. */
function xing(frames: number): Buffer {
  const frame = mp3(1);
  frame.write('Xing\0\0\0\x01', 36, 'latin1');
  frame.writeUInt32BE(frames, 44);
  return frame;
}

/** As a program that cannot go back writes the sizes. */
function sized(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(size, 4);
  copy.writeUInt32LE(size, 40);
  return copy;
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
    expect(readBytes).toBeLessThan(1_000_000);
  });

  it.each([
    ['streamed.webm', 'video/webm', 64, 36, 2007],
    ['streamed.mkv', 'video/x-matroska', 64, 36, 2007],
    ['fragmented.mp4', 'video/mp4', 64, 36, 2064],
    ['silent.mov', 'video/quicktime', 64, 36, 2000],
    ['streamed.flac', 'audio/flac', null, null, 2000],
    ['sound.ogg', 'audio/ogg', null, null, 2000],
    ['animated.gif', 'image/gif', 16, 8, 2000],
    ['animated.webp', 'image/webp', 16, 8, 2000],
    ['animated.png', 'image/png', 16, 8, 2000],
    ['animated.avif', 'image/avif', 16, 8, 2000],
    ['image.tiff', 'image/tiff', 16, 8, null],
    ['image.bmp', 'image/bmp', 16, 8, null],
    ['image.jpg', 'image/jpeg', 16, 8, null],
  ])('of %s are those that ffprobe or a browser shows', async (name, type, width, height, durationMs) => {
    const bytes = fixture(name);
    for (const headBytes of [bytes.length, 100])
      expect((await measured(type, bytes, headBytes)).measures).toEqual({ width, height, durationMs });
  });

  it.each([
    ['an MP3 without an index', 'audio/mpeg', mp3(100), 2612],
    [
      'an MP3 after a tag and zeros',
      'audio/mpeg',
      Buffer.concat([id3(3000), Buffer.alloc(500), mp3(100)]),
      2612,
    ],
    ['an MP3 from within a frame', 'audio/mpeg', mp3(101).subarray(200), 2612],
    ['an MP3 with damage', 'audio/mpeg', Buffer.concat([mp3(50), Buffer.alloc(999), mp3(50)]), 2612],
    ['an MP3 with an index', 'audio/mpeg', Buffer.concat([xing(1000), mp3(100)]), 26_122],
    ['an MP3 with an impossible index', 'audio/mpeg', Buffer.concat([xing(2 ** 31), mp3(100)]), 2612],
    ['an AAC stream', 'audio/aac', Buffer.concat([id3(3000), adts(100)]), 2322],
    ['a WAV of size 0', 'audio/wav', sized(wav(12_000), 0), 1500],
    ['a WAV of unknown size', 'audio/wav', sized(wav(12_000), 0xffff_ffff), 1500],
    ['a WAV that is cut off', 'audio/wav', wav(12_000).subarray(0, 4044), 500],
  ])('of %s are counted', async (_what, type, bytes, durationMs) => {
    for (const headBytes of [bytes.length, 100])
      expect((await measured(type, bytes, headBytes)).measures).toEqual({ ...nothing, durationMs });
  });

  it.each([1, 3, 6, 8])('of an image follow its orientation %i', async (orientation) => {
    const [width, height] = orientation > 4 ? [20, 30] : [30, 20];
    expect((await measured('image/jpeg', jpeg(orientation))).measures).toEqual({ ...nothing, width, height });
    const turned = [orientation > 4 ? 8 : 16, orientation > 4 ? 16 : 8];
    const exif = exifOf(orientation);
    const chunk = Buffer.concat([Buffer.from('\0\0\0\0eXIf', 'latin1'), exif, Buffer.alloc(4)]);
    chunk.writeUInt32BE(exif.length);
    const image = fixture('animated.png');
    const oriented = Buffer.concat([image.subarray(0, 33), chunk, image.subarray(33)]);
    const { measures } = await measured('image/png', oriented);
    expect([measures.width, measures.height]).toEqual(turned);
  });

  it.each([
    ['cut off', 'video/mp4', mp4.subarray(0, 300)],
    ['of nothing but a name', 'video/webm', webm.subarray(0, 40)],
    ['broken', 'image/png', png.subarray(0, 12)],
    ['empty', 'audio/wav', wav(0)],
  ])('are unknown for a file that is %s', async (_how, contentType, bytes) => {
    expect((await measured(contentType, bytes)).measures).toEqual(nothing);
  });

  it.each([
    ['a PNG without its end', 'image/png', fixture('animated.png').subarray(0, -12)],
    ['three bytes of a JPEG', 'image/jpeg', Buffer.from('ffd8ff', 'hex')],
    ['a JPEG without pixels', 'image/jpeg', jpeg(1).subarray(0, -9)],
    ['the name of a GIF', 'image/gif', Buffer.from('GIF89a')],
    ['half a WebP', 'image/webp', fixture('animated.webp').subarray(0, 400)],
  ])('of %s show that it is no image', async (_what, contentType, bytes) => {
    const { measures } = await measured(contentType, bytes);
    expect(isUnreadable(contentType, measures)).toBe(true);
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

  it('are unknown when most of the file would have to be read', async () => {
    const bytes = longMp4(60_000_000);
    // A table that claims to be longer than the file.
    const huge = Buffer.concat([bytes.subarray(0, 32), Buffer.from([3, 0x80, 0, 0]), Buffer.from('moov')]);
    const claims = Buffer.concat([huge, Buffer.alloc(59_000_000)]);
    const { measures, readBytes } = await measured('video/mp4', claims, 100);
    expect(measures).toEqual(nothing);
    expect(readBytes).toBeLessThan(9_000_000);
  });

  it.each([
    // 4,294,967,295 samples without a byte for any.
    ['the samples of a fragment', 'fragmented.mp4', [['trun', 4, '00000000ffffffff']]],
    [
      'the frames and their sizes',
      'silent.mov',
      [
        ['mvhd', 20, '00000000'],
        ['tkhd', 24, '00000000'],
        ['mdhd', 20, '00000000'],
        ['stts', 12, 'ffffffff'],
        ['stsz', 8, '00000001ffffffff'],
      ],
    ],
  ] as const)(
    'of a file whose numbers would fill the memory are unknown, but not of others: %s',
    async (_what, name, changes) => {
      const hostile = fixture(name);
      for (const [box, offset, hex] of changes) hostile.write(hex, hostile.indexOf(box) + offset, 'hex');
      const [first, second] = await Promise.all([
        measured('video/mp4', hostile),
        measured('video/mp4', fixture('fragmented.mp4')),
      ]);
      expect(first.measures.durationMs).toBeNull();
      expect(second.measures.durationMs).toBe(2064);
      expect((await measured('video/webm', fixture('streamed.webm'))).measures.durationMs).toBe(2007);
    },
  );
});

it.each([
  ['image/png', png],
  ['video/mp4', mp4],
])('a %s is neither measured nor called broken while its store fails', async (contentType, bytes) => {
  const file = { contentType, sizeBytes: bytes.length, head: bytes.subarray(0, 33) };
  const error = new Error('unavailable');
  await expect(measure(file, () => Promise.reject(error))).rejects.toBe(error);
});

it('a process that preloads modules, as a launcher makes it do, measures containers too', async () => {
  const preload = 'if (process.send) process.exit(1);';
  const script = `
    import { measure } from ${JSON.stringify(import.meta.resolve('./measures.ts'))};
    const head = Buffer.from(process.argv[1], 'base64');
    console.log(JSON.stringify(await measure({ contentType: 'video/webm', sizeBytes: head.length, head })));`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(preload)}`,
    '--input-type=module',
    '-e',
    script,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, webm.toString('base64')]);
  expect(JSON.parse(stdout)).toEqual(video);
});

describe('a damaged file of any type', () => {
  const types: [string, string, Buffer][] = [
    ['png', 'image/png', fixture('animated.png')],
    ['jpeg', 'image/jpeg', jpeg(6)],
    ['gif', 'image/gif', fixture('animated.gif')],
    ['webp', 'image/webp', fixture('animated.webp')],
    ['avif', 'image/avif', fixture('animated.avif')],
    ['tiff', 'image/tiff', fixture('image.tiff')],
    ['bmp', 'image/bmp', fixture('image.bmp')],
    ['wav', 'audio/wav', wav(400)],
    ['mp3', 'audio/mpeg', Buffer.concat([id3(20), xing(9), mp3(9)])],
    ['aac', 'audio/aac', adts(20)],
    ['mov', 'video/quicktime', fixture('silent.mov')],
    ['mp4', 'video/mp4', fixture('fragmented.mp4')],
    ['webm', 'video/webm', fixture('streamed.webm')],
    ['ogg', 'audio/ogg', fixture('sound.ogg')],
    ['flac', 'audio/flac', fixture('streamed.flac')],
  ];

  it.each(types)('is measured or is not, but ends nothing: %s', async (_name, contentType, bytes) => {
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48_271) % 0x7fff_ffff) % below;
    for (let round = 0; round < 60; round++) {
      const damaged = Buffer.from(bytes.subarray(0, round % 2 ? bytes.length : random(bytes.length)));
      for (let change = 0; change < round % 8 && damaged.length > 0; change++)
        damaged[random(damaged.length)] = [0, 0xff, random(256)][change % 3] ?? 0;
      const { measures } = await measured(contentType, damaged, 64);
      for (const value of Object.values(measures)) expect(value === null || value > 0).toBe(true);
    }
  });
});
