import { describe, expect, it } from '@jest/globals';
import { outputType } from './outputType.ts';
import { mp4, png, soundWebm, wav } from './testing/media.ts';

const glb = Buffer.concat([Buffer.from('glTF'), Buffer.from([2, 0, 0, 0, 64, 0, 0, 0]), Buffer.alloc(52)]);
const page = Buffer.from('<!DOCTYPE html><title>502</title>');

describe('the type of an output', () => {
  it.each([
    ['images', png, null, 'image/png'],
    ['images', png, 'video/mp4', 'image/png'],
    ['videos', mp4, 'application/octet-stream', 'video/mp4'],
    ['videos', Buffer.from('GIF89a\x01\x00\x01\x00'), null, 'image/gif'],
    ['audios', wav(10), null, 'audio/wav'],
    ['audios', soundWebm, 'video/webm', 'audio/webm'],
    ['audios', mp4, null, 'audio/mp4'],
    ['files', glb, null, 'model/gltf-binary'],
    ['files', Buffer.from('a,b'), 'text/csv', 'text/csv'],
    ['files', Buffer.from('{}'), 'application/json', 'application/json'],
    ['files', Buffer.from('words'), null, 'text/plain'],
    ['raw', Buffer.from('words'), 'application/octet-stream', 'text/plain'],
    ['raw', png, null, 'image/png'],
  ] as const)('of kind %s is told by its bytes', async (kind, bytes, declared, type) => {
    expect(await outputType(bytes, declared, kind)).toBe(type);
  });

  it.each([
    ['images', mp4, 'image/png'],
    ['images', Buffer.from('words'), 'image/png'],
    ['images', page, null],
    ['videos', png, 'video/mp4'],
    ['audios', png, 'audio/mpeg'],
    ['files', page, null],
    ['files', page, 'text/plain'],
    ['files', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), null],
    ['files', Buffer.from('words'), 'image/png'],
    ['files', Buffer.from([0, 1, 2, 3]), null],
    ['files', Buffer.alloc(0), null],
  ] as const)('of kind %s is none for what is not that', async (kind, bytes, declared) => {
    expect(await outputType(bytes, declared, kind)).toBeNull();
  });
});
