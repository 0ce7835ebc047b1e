import { describe, expect, it } from '@jest/globals';
import { allowedTypeOf, allowedTypes, contradictsType, extensionOf, isAllowedType } from './allowedTypes.ts';

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
