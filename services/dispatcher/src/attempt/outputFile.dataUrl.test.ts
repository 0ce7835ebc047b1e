import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { UnusableOutput } from '@holdfast/providers/outputFiles';
import { describe, expect, it, jest } from '@jest/globals';
import { openDataUrl } from './outputFile.ts';

const decoded = async (url: string) => await buffer(openDataUrl(url).stream);

describe('a data URL', () => {
  it('is decoded in small pieces', async () => {
    const bytes = randomBytes(1_000_001);
    const url = `data:Image/PNG;base64,${bytes.toString('base64')}`;
    const { stream, contentType } = openDataUrl(url);
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(70_000);
    expect(pieces.length).toBeLessThanOrEqual(Math.ceil(url.length / 65_536) + 1);
    expect(contentType).toBe('image/png');
  });

  it('is refused without splitting a head of millions of parameters', () => {
    const url = `data:${';'.repeat(10_000_000)},x`;
    const split = jest.spyOn(String.prototype, 'split');
    try {
      expect(() => openDataUrl(url)).toThrow(UnusableOutput);
      const longest = Math.max(0, ...split.mock.contexts.map((text) => String(text).length));
      expect(longest).toBeLessThan(100_000);
    } finally {
      split.mockRestore();
    }
  });

  it('may contain line breaks, and needs no padding', async () => {
    const bytes = randomBytes(100_000);
    const lines = bytes
      .toString('base64')
      .replace(/=+$/, '')
      .replace(/(.{76})/g, '$1\r\n');
    expect((await decoded(`data:;base64,${lines}`)).equals(bytes)).toBe(true);
  });

  it('with percent escapes is decoded to bytes, wherever a piece ends', async () => {
    const bytes = randomBytes(70_000);
    const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const start of ['', 'x', 'xy']) {
      const read = await decoded(`data:application/octet-stream,${start}${escaped}`);
      expect(read.equals(Buffer.concat([Buffer.from(start), bytes]))).toBe(true);
    }
  });

  it('with text is decoded as UTF-8, and has its declared type', async () => {
    const text = 'grüße 🙂 '.repeat(10_000);
    const { stream, contentType } = openDataUrl(`data:text/plain;charset=utf-8,${text}`);
    expect((await buffer(stream)).toString()).toBe(text);
    expect(contentType).toBe('text/plain');
  });

  it('without a comma is refused, and one without data is empty', async () => {
    expect(() => openDataUrl('data:image/png;base64')).toThrow('no data');
    expect(openDataUrl('data:,').contentType).toBeNull();
    expect(await decoded('data:,')).toEqual(Buffer.alloc(0));
  });
});
