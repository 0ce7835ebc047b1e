import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { UnusableOutput } from '@holdfast/providers/outputFiles';
import { describe, expect, it } from '@jest/globals';
import { openDataUrl } from './dataUrl.ts';

const decoded = async (url: string) => await buffer(openDataUrl(url).stream);

describe('a data URL', () => {
  it('is decoded in pieces, none of them large', async () => {
    const bytes = randomBytes(1_000_001);
    const { stream, contentType } = openDataUrl(`data:Image/PNG;base64,${bytes.toString('base64')}`);
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(70_000);
    expect(contentType).toBe('image/png');
  });

  it('has no head of millions of parameters', () => {
    expect(() => openDataUrl(`data:${';'.repeat(10_000_000)},x`)).toThrow(UnusableOutput);
  });

  it('may have lines, and needs no padding', async () => {
    const bytes = randomBytes(100_000);
    const lines = bytes
      .toString('base64')
      .replace(/=+$/, '')
      .replace(/(.{76})/g, '$1\r\n');
    expect((await decoded(`data:;base64,${lines}`)).equals(bytes)).toBe(true);
  });

  it('of percent escapes is bytes, wherever a piece ends', async () => {
    const bytes = randomBytes(70_000);
    const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const start of ['', 'x', 'xy']) {
      const read = await decoded(`data:application/octet-stream,${start}${escaped}`);
      expect(read.equals(Buffer.concat([Buffer.from(start), bytes]))).toBe(true);
    }
  });

  it('of text is UTF-8, and says its type', async () => {
    const text = 'grüße 🙂 '.repeat(10_000);
    const { stream, contentType } = openDataUrl(`data:text/plain;charset=utf-8,${text}`);
    expect((await buffer(stream)).toString()).toBe(text);
    expect(contentType).toBe('text/plain');
  });

  it('without a comma is refused; one without anything is empty', async () => {
    expect(() => openDataUrl('data:image/png;base64')).toThrow('no data');
    expect(openDataUrl('data:,').contentType).toBeNull();
    expect(await decoded('data:,')).toEqual(Buffer.alloc(0));
  });
});
