import { describe, expect, it } from '@jest/globals';
import {
  allowedTypeOf,
  allowedTypes,
  contradictsType,
  detectType,
  extensionOf,
  headBytes,
  isAllowedType,
  matchesDeclaredType,
  outputType,
} from './contentTypes.ts';
import * as media from './testing/media.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const wav = Buffer.from('5249464624000000574156456d74', 'hex');
const mp4 = Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypmp42'), Buffer.alloc(12)]);
const m4a = Buffer.concat([Buffer.from('00000018', 'hex'), Buffer.from('ftypM4A '), Buffer.alloc(12)]);
const mov = Buffer.concat([Buffer.from('00000014', 'hex'), Buffer.from('ftypqt  '), Buffer.alloc(12)]);
const zip = Buffer.from('504b030414000000000000000000', 'hex');
const webm = Buffer.from('1a45dfa3934282847765626d4287810242858102', 'hex');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');

describe('allowed types', () => {
  it('have an extension, and other types have none', () => {
    for (const type of allowedTypes) expect(extensionOf(type)).toMatch(/^[a-z0-9]+$/);
    expect(extensionOf('image/svg+xml')).toBeNull();
    expect(isAllowedType('application/octet-stream')).toBe(false);
    expect(isAllowedType('constructor')).toBe(false);
  });

  it.each([
    ['IMAGE/PNG', 'image/png'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['image/jpg', 'image/jpeg'],
    ['Audio/MP3;rate=1', 'audio/mpeg'],
    ['image/svg+xml', null],
    ['constructor', null],
    ['', null],
  ])('are found by name: %j is %s', (text, type) => {
    expect(allowedTypeOf(text)).toBe(type);
  });

  it('are contradicted by a Content-Type that names another one, not by an unspecific one', () => {
    for (const same of [undefined, null, '', 'application/octet-stream', 'image/jpg', 'IMAGE/JPEG; q=1']) {
      expect(contradictsType(same, 'image/jpeg')).toBe(false);
    }
    for (const other of ['image/png', 'text/html', 'nonsense']) {
      expect(contradictsType(other, 'image/jpeg')).toBe(true);
    }
  });
});

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

const glb = Buffer.concat([Buffer.from('glTF'), Buffer.from([2, 0, 0, 0, 64, 0, 0, 0]), Buffer.alloc(52)]);
const page = Buffer.from('<!DOCTYPE html><title>502</title>');

describe('the type of an output', () => {
  it.each([
    ['images', media.png, null, 'image/png'],
    ['images', media.png, 'video/mp4', 'image/png'],
    ['videos', media.mp4, 'application/octet-stream', 'video/mp4'],
    ['videos', Buffer.from('GIF89a\x01\x00\x01\x00'), null, 'image/gif'],
    ['audios', media.wav(10), null, 'audio/wav'],
    ['audios', media.soundWebm, 'video/webm', 'audio/webm'],
    ['audios', media.mp4, null, 'audio/mp4'],
    ['files', glb, null, 'model/gltf-binary'],
    ['files', Buffer.from('a,b'), 'text/csv', 'text/csv'],
    ['files', Buffer.from('{}'), 'application/json', 'application/json'],
    ['files', Buffer.from('words'), null, 'text/plain'],
    ['raw', Buffer.from('words'), 'application/octet-stream', 'text/plain'],
    ['raw', media.png, null, 'image/png'],
  ] as const)('of kind %s depends on its bytes', async (kind, bytes, declared, type) => {
    expect(await outputType(bytes, declared, kind)).toBe(type);
  });

  it.each([
    ['images', media.mp4, 'image/png'],
    ['images', Buffer.from('words'), 'image/png'],
    ['images', page, null],
    ['videos', media.png, 'video/mp4'],
    ['audios', media.png, 'audio/mpeg'],
    ['files', page, null],
    ['files', page, 'text/plain'],
    ['files', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), null],
    ['files', Buffer.from('words'), 'image/png'],
    ['files', Buffer.from([0, 1, 2, 3]), null],
    ['files', Buffer.alloc(0), null],
  ] as const)('of kind %s is null for other files', async (kind, bytes, declared) => {
    expect(await outputType(bytes, declared, kind)).toBeNull();
  });
});
