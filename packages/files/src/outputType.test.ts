import { describe, expect, it } from '@jest/globals';
import { outputType } from './outputType.ts';
import * as media from './testing/media.ts';

const glb = Buffer.concat([Buffer.from('glTF'), Buffer.from([2, 0, 0, 0, 64, 0, 0, 0]), Buffer.alloc(52)]);
const page = Buffer.from('<!DOCTYPE html><title>502</title>');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
const tiff = Buffer.concat([Buffer.from('II*\0', 'latin1'), Buffer.alloc(200, 1)]);
const ts = Buffer.concat([Buffer.from([0x47]), Buffer.alloc(187), Buffer.from([0x47]), Buffer.alloc(187)]);
const binary = Buffer.from([0, 1, 2, 3]);
const zip = Buffer.from('504b030414000000000000000000', 'hex');
const words = Buffer.from('words');
const octets = 'application/octet-stream';

const typeOf = (
  bytes: Buffer,
  declared: string | null,
  kind: 'images' | 'videos' | 'audios' | 'files' | 'raw',
  filename: string | null = null,
) => outputType(bytes, { contentType: declared, filename }, kind);

describe('the type of an output', () => {
  it.each([
    ['images', media.png, null, 'image/png'],
    ['images', media.png, 'video/mp4', 'image/png'],
    ['images', tiff, null, 'image/tiff'],
    ['videos', media.mp4, octets, 'video/mp4'],
    ['videos', Buffer.from('GIF89a\x01\x00\x01\x00'), null, 'image/gif'],
    ['audios', media.wav(10), null, 'audio/wav'],
    ['audios', media.soundWebm, 'video/webm', 'audio/webm'],
    ['audios', media.mp4, null, 'audio/mp4'],
    ['raw', words, octets, 'text/plain'],
    ['raw', media.png, null, 'image/png'],
  ] as const)('of kind %s depends on its bytes', async (kind, bytes, declared, type) => {
    expect(await typeOf(bytes, declared, kind)).toMatchObject({ contentType: type });
  });

  it.each([
    ['images', media.mp4, 'the type video/mp4'],
    ['images', words, 'the type text/plain'],
    ['images', page, 'the type text/html'],
    ['images', svg, 'the type image/svg+xml'],
    ['videos', media.png, 'the type image/png'],
    ['audios', media.png, 'the type image/png'],
    ['audios', zip, 'the type application/zip'],
    ['images', binary, 'an unknown type'],
  ] as const)('of kind %s is refused by its name', async (kind, bytes, refused) => {
    expect(await typeOf(bytes, 'image/png', kind)).toEqual({ refused });
  });

  it.each([
    ['a.glb', glb, null, 'model/gltf-binary', 'glb'],
    ['a.csv', Buffer.from('a,b'), 'text/csv', 'text/csv', 'csv'],
    ['a.json', Buffer.from('{}'), 'application/json', 'application/json', 'json'],
    ['a.jsonl', Buffer.from('{}\n{}'), octets, 'application/x-ndjson', 'jsonl'],
    ['a.md', words, 'text/plain', 'text/markdown', 'md'],
    [null, words, null, 'text/plain', 'txt'],
    [null, Buffer.from('html is a language'), null, 'text/plain', 'txt'],
    [null, media.png, 'text/plain', 'image/png', 'png'],
    ['a.zip', zip, null, 'application/zip', 'zip'],
    [null, zip, null, 'application/zip', 'zip'],
  ] as const)(
    'of kind files is a known one: %s',
    async (filename, bytes, declared, contentType, extension) => {
      expect(await typeOf(bytes, declared, 'files', filename)).toEqual({ contentType, extension });
    },
  );

  it.each([
    ['lora.safetensors', Buffer.from('\x40\0\0\0\0\0\0\0{"__metadata__"')],
    ['weights.tar.gz', Buffer.from('1f8b0800000000000003', 'hex')],
    ['mesh.ply', Buffer.from('ply\nformat ascii 1.0\n')],
    ['mesh.obj', Buffer.from('v 0 0 0\n')],
    ['mesh.STL', Buffer.alloc(84)],
    ['a.srt', Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHi')],
    ['a.vtt', Buffer.from('WEBVTT\n')],
    ['a.npy', Buffer.from('\x93NUMPY', 'latin1')],
    ['a.npz', zip],
    ['a.parquet', Buffer.from('PAR1\0')],
    ['a.mid', Buffer.from('MThd\0\0\0\x06')],
    ['a.svg', svg],
    ['a.html', page],
    ['a.aiff', Buffer.from('FORM\0\0\0\x20AIFFCOMM')],
    ['a.avi', Buffer.from('RIFF\x20\0\0\0AVI LIST')],
    ['a.ts', ts],
    ['a.pcm', binary],
    ['a.txt', Buffer.from('caf\xe9 noir', 'latin1')],
  ])('of kind files is an attachment for any other bytes: %s', async (filename, bytes) => {
    const extension = filename.split('.').at(-1)?.toLowerCase();
    for (const declared of [null, octets, 'text/plain', 'image/png'])
      expect(await typeOf(bytes, declared, 'files', filename)).toEqual({ contentType: octets, extension });
    const unnamed = await typeOf(bytes, 'image/png', 'raw');
    expect([octets, 'application/zip']).toContain('contentType' in unnamed && unnamed.contentType);
  });
});
