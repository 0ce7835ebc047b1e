import { describe, expect, it } from '@jest/globals';
import {
  allowedTypeOf,
  allowedTypes,
  contradictsType,
  extensionOf,
  isAllowedType,
  isUnspecific,
  textTypeOf,
} from './contentTypes.ts';

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
    ['image/heif', 'image/heic'],
    ['audio/opus', 'audio/ogg'],
    ['audio/vnd.dlna.adts', 'audio/aac'],
    ['video/x-m4v', 'video/mp4'],
    ['video/3gpp2', 'video/3gpp'],
    ['application/vnd.ms-excel', 'text/csv'],
    ['application/jsonl', 'application/x-ndjson'],
    ['image/svg+xml', null],
    ['application/octet-stream', null],
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

it('an unspecific type leaves the type to the bytes, and an extension says which text they are', () => {
  for (const type of [undefined, null, '', 'Application/Octet-Stream']) expect(isUnspecific(type)).toBe(true);
  expect(isUnspecific('text/plain')).toBe(false);
  expect(['csv', 'jsonl', 'md', 'json', 'png', 'constructor', null].map(textTypeOf)).toEqual([
    'text/csv',
    'application/x-ndjson',
    'text/markdown',
    'application/json',
    null,
    null,
    null,
  ]);
});
