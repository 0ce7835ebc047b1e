import { describe, expect, it } from '@jest/globals';
import {
  detectAllowedType,
  detectType,
  endsAsZip,
  headBytes,
  matchesDeclaredType,
  typeHead,
} from './detection.ts';
import { FileBytes } from './media/bytes.ts';
import { adts, id3, mp3 } from './testing/media.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const wav = Buffer.from('5249464624000000574156456d74', 'hex');
const mp4 = Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypmp42'), Buffer.alloc(12)]);
const m4a = Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypM4A '), Buffer.alloc(12)]);
const ftyp = (brand: string) =>
  Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from(`ftyp${brand}`), Buffer.alloc(12)]);
const mov = Buffer.concat([Buffer.from('00000014', 'hex'), Buffer.from('ftypqt  '), Buffer.alloc(12)]);
const zip = Buffer.from('504b030414000000000000000000', 'hex');
const webm = Buffer.from('1a45dfa3934282847765626d4287810242858102', 'hex');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');

describe('the detected type of a file', () => {
  it('depends on its first bytes', async () => {
    expect(await detectType(png)).toBe('image/png');
    expect(await detectType(jpeg)).toBe('image/jpeg');
    expect(await detectType(Buffer.from('plain words'))).toBeNull();
    expect(await detectType(Buffer.alloc(0))).toBeNull();
  });

  it.each([
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/gif', Buffer.from('GIF89a\x01\x00\x01\x00')],
    ['image/webp', Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ')],
    ['audio/wav', wav],
    ['audio/x-wav', wav],
    ['audio/mp4', m4a],
    ['audio/webm', webm],
    ['video/webm', webm],
    ['video/mp4', mp4],
    ['video/quicktime', mov],
    ['audio/mpeg', Buffer.from('ID3\x03\x00\x00\x00\x00\x7f\x7f')],
    ['audio/flac', Buffer.from('fLaC\x00\x00\x00\x22')],
    ['application/pdf', Buffer.from('%PDF-1.7\n')],
    ['application/zip', zip],
    ['text/plain', Buffer.from('grüße')],
    ['text/csv', Buffer.from('a,b\n1,2')],
    ['application/json', Buffer.from('{"a":1}')],
    ['application/x-ndjson', Buffer.from('{"a":1}\n{"a":2}')],
    ['video/mp4', mov],
    ['video/mp4', ftyp('3gp5')],
    ['video/quicktime', mp4],
    ['video/3gpp', ftyp('3g2a')],
    ['audio/wav', Buffer.from('RF64\xff\xff\xff\xffWAVEds64', 'latin1')],
  ])('matches the declared type %s', async (declared, head) => {
    expect(await matchesDeclaredType(head, declared)).toBe(true);
  });

  it.each([
    ['image/png', jpeg],
    ['image/png', Buffer.from('not an image')],
    ['image/png', svg],
    ['image/svg+xml', svg],
    ['text/html', Buffer.from('<html>')],
    ['application/octet-stream', png],
    ['application/zip', png],
    ['text/plain', png],
    ['text/plain', Buffer.from('nul\0byte')],
    ['application/json', Buffer.from([0x7b, 0xff, 0xfe])],
    ['text/plain', Buffer.alloc(0)],
  ])('does not match the declared type %s of other bytes', async (declared, head) => {
    expect(await matchesDeclaredType(head, declared)).toBe(false);
  });

  it('is text when the head ends within a character', async () => {
    const head = Buffer.from('ü'.repeat(headBytes)).subarray(0, headBytes - 1);
    expect(await matchesDeclaredType(head, 'text/plain')).toBe(true);
  });
});

/** As a gateway reads it: whole when it is short. */
async function allowedType(bytes: Buffer, filename = '') {
  const file = { sizeBytes: bytes.length, head: bytes.subarray(0, headBytes) };
  const head = await typeHead(new FileBytes(file, async (start, end) => bytes.subarray(start, end + 1)));
  return await detectAllowedType(head, filename);
}

/** The directory of the TIFF lies behind all pixels. */
const tiff = (magic: string) => Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(200_000, 7)]);

describe('the type of an undeclared upload', () => {
  it.each([
    ['a little-endian TIFF', tiff('49492a0000010000'), 'image/tiff'],
    ['a big-endian TIFF', tiff('4d4d002a00010000'), 'image/tiff'],
    ['a BigTIFF', tiff('49492b0008000000'), 'image/tiff'],
    [
      'an animated PNG',
      Buffer.concat([png.subarray(0, 33), Buffer.from('00000008acTL', 'latin1')]),
      'image/png',
    ],
    ['an MP3', mp3(5), 'audio/mpeg'],
    ['an MP3 after zeros', Buffer.concat([Buffer.alloc(3000), mp3(5)]), 'audio/mpeg'],
    ['an MP3 that begins within a frame', mp3(8).subarray(150), 'audio/mpeg'],
    ['an MP3 with a long ID3 tag', Buffer.concat([id3(300_000), mp3(5)]), 'audio/mpeg'],
    ['an AAC with a long ID3 tag', Buffer.concat([id3(300_000), adts(5)]), 'audio/aac'],
    [
      'a FLAC with two ID3 tags',
      Buffer.concat([id3(9000), id3(9), Buffer.from('fLaC\0\0\0\x22')]),
      'audio/flac',
    ],
    ['an RF64', Buffer.from('RF64\xff\xff\xff\xffWAVEds64', 'latin1'), 'audio/wav'],
    ['a 3GP', ftyp('3gp5'), 'video/3gpp'],
    ['a 3G2', ftyp('3g2a'), 'video/3gpp'],
    ['an M4V', ftyp('M4V '), 'video/mp4'],
    ['a PDF after a line break', Buffer.from('\r\n%PDF-1.7\n'), 'application/pdf'],
    ['a PDF after a byte order mark', Buffer.from('\ufeff%PDF-1.7\n'), 'application/pdf'],
    ['an Office document', zip, 'application/zip'],
    ['WebVTT', Buffer.from('WEBVTT\n\n'), 'text/plain'],
    ['unknown bytes', Buffer.from([0, 1, 2, 3]), null],
    ['no bytes', Buffer.alloc(0), null],
  ])('%s is judged by its bytes', async (_what, bytes, type) => {
    expect(await allowedType(bytes)).toBe(type);
  });

  it.each([
    ['table.CSV', 'text/csv'],
    ['rows.jsonl', 'application/x-ndjson'],
    ['data.json', 'application/json'],
    ['README.md', 'text/markdown'],
    ['subtitles.srt', 'text/plain'],
    ['image.png', 'text/plain'],
    ['noname', 'text/plain'],
  ])('text named %s is %s', async (filename, type) => {
    expect(await allowedType(Buffer.from('a,b'), filename)).toBe(type);
  });

  it('a ZIP with a prefix is one by its end', () => {
    const end = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
    expect(endsAsZip(Buffer.concat([Buffer.from('#!/bin/sh\n'), zip, end]))).toBe(true);
    expect(endsAsZip(Buffer.from('#!/bin/sh\n'))).toBe(false);
  });

  it('is not an MP3 for random bytes, and is found in bounded time in hostile ones', async () => {
    for (const fill of [0xff, 0xfb, 0]) expect(await allowedType(Buffer.alloc(headBytes, fill))).toBeNull();
    let seed = 7;
    const random = Buffer.from(
      Array.from({ length: headBytes }, () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) >> 16),
    );
    expect(await allowedType(random)).toBeNull();
  });
});
