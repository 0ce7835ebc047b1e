import { gzipSync } from 'node:zlib';
import { limits } from '@holdfast/domain/limits';
import { describe, expect, it } from '@jest/globals';
import { answerText } from './answerText.ts';

const said = (text: string) => answerText(Buffer.from(text));

describe('what a receiver answered, for people to read', () => {
  it.each(['', '{"ok":true}', '<h1>Größe: 5 €</h1>\r\n\tend\n', '👩‍👩‍👧 שלום 你好', '\ufeff{}'])(
    'is given as it was: %j',
    (text) => {
      expect(said(text)).toBe(text);
    },
  );

  it.each([
    [
      'terminal codes',
      'a long enough text \u001b[31mred\u001b[0m',
      'a long enough text \ufffd[31mred\ufffd[0m',
    ],
    ['text that turns round', 'a long enough text \u202egnp.exe', 'a long enough text \ufffdgnp.exe'],
    ['controls beyond ASCII', 'a long enough text \u009b31m', 'a long enough text \ufffd31m'],
  ])('shows, and does not obey, %s', (_what, text, shown) => {
    expect(said(text)).toBe(shown);
  });

  it('shows what is no UTF-8 where most is', () => {
    expect(answerText(Buffer.from('Zugriff verweigert: ungültig', 'latin1'))).toBe(
      'Zugriff verweigert: ung\ufffdltig',
    );
  });

  it.each([
    ['a compressed answer', gzipSync('hello '.repeat(1000))],
    ['a picture', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x10, 0x4a, 0x46, 0x49])],
    ['text with a NUL', Buffer.from('plain\0text that goes on')],
    ['UTF-16', Buffer.from('plain text', 'utf16le')],
    ['65,536 odd bytes', Buffer.alloc(65_536, 0xfe)],
  ])('tells the size of %s', (_what, body) => {
    expect(answerText(body)).toBe(`<binary, ${body.length} bytes>`);
  });

  it.each(['a', 'ü', '€', '😀', 'a\u0001long text', 'a😀ü€'])(
    'has at most 4096 bytes of whole characters: %j',
    (text) => {
      for (const shift of ['', 'x', 'xx', 'xxx']) {
        const whole = shift + text.repeat(20_000);
        const shown = said(whole);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limits.webhookAnswerBytes);
        expect(Buffer.byteLength(shown)).toBeGreaterThan(limits.webhookAnswerBytes - 4);
        expect(whole.replaceAll('\u0001', '\ufffd').startsWith(shown)).toBe(true);
      }
    },
  );

  it('is what Postgres stores, whatever came', () => {
    let seed = 1;
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let i = 0; i < 500; i++) {
      const body = Buffer.from('readable '.repeat(20));
      for (let j = next() % 12; j > 0; j--) body[next() % body.length] = next() % 256;
      const shown = answerText(body);
      expect(shown).not.toContain('\0');
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(/[^\P{Cc}\t\n\r]/u);
    }
  });
});
