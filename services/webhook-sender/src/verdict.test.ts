import { gzipSync } from 'node:zlib';
import { limits } from '@holdfast/domain/limits';
import { describe, expect, it } from '@jest/globals';
import { judge, nextDelayS, responseText, retryAfterS } from './verdict.ts';

const delivery = { attempts: 1, endpointId: 'wh_1' };
const failed = { ok: false, stage: 'connect', message: 'the proxy refused: 407', durationMs: 1 } as const;

describe('judge', () => {
  it('retries after a failure of our own proxy and does not count it for the endpoint', () => {
    const verdict = judge({ ...failed, isOwnFault: true }, delivery, [0, 30]);
    expect(verdict).toMatchObject({ ok: false, countsForEndpoint: false, stage: 'connect' });
    expect(verdict.nextDelayS).not.toBeNull();
  });

  it('repeats the last attempt at once when the service stopped during it', () => {
    const stopped = { ok: false, stage: 'aborted', message: 'aborted', durationMs: 1 } as const;
    expect(judge(stopped, { ...delivery, attempts: 2 }, [0, 30])).toMatchObject({
      countsForEndpoint: false,
      nextDelayS: 0,
    });
  });

  it('counts any other failure to connect for the endpoint', () => {
    expect(judge(failed, delivery, [0, 30])).toMatchObject({ ok: false, countsForEndpoint: true });
  });

  it.each([
    ['connect', 'connect ECONNREFUSED', 'connect ECONNREFUSED'],
    ['connect', 'other side closed', 'connect: other side closed'],
    ['dns', 'example.com has no address', 'dns: example.com has no address'],
  ] as const)('names the stage %s once: %s', (stage, message, error) => {
    expect(judge({ ...failed, stage, message }, delivery, [0, 30]).error).toBe(error);
  });
});

const nowMs = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['120', 120],
    ['999999', 3600],
    ['Thu, 01 Jan 2026 00:01:30 GMT', 90],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['1e9', 0],
  ])('%s means %d seconds', (header, seconds) => {
    expect(retryAfterS(header, nowMs)).toBe(seconds);
  });
});

describe('the retry schedule', () => {
  const delaysS = [0, 30, 300, 3600, 21_600];
  const delay = (attempts: number, random: number, retryAfter = 0) =>
    nextDelayS({ attempts, delaysS, retryAfterS: retryAfter, random: () => random });

  it('has 30 s, 5 min, 1 h and 6 h, and ends after the fifth attempt', () => {
    expect([1, 2, 3, 4, 5].map((attempts) => delay(attempts, 0.5))).toEqual([30, 300, 3600, 21_600, null]);
  });

  it('varies by at most 20 %', () => {
    expect(delay(2, 0)).toBe(240);
    expect(delay(2, 1)).toBeCloseTo(360);
  });

  it('is never shorter than Retry-After', () => {
    expect(delay(1, 0.5, 100)).toBe(100);
    expect(delay(2, 0.5, 100)).toBe(300);
  });
});

const shownText = (text: string) => responseText(Buffer.from(text));

describe('a shown response', () => {
  it.each(['', '{"ok":true}', '<h1>Größe: 5 €</h1>\r\n\tend\n', '👩‍👩‍👧 שלום 你好', '\ufeff{}'])(
    'is plain text unchanged: %j',
    (text) => {
      expect(shownText(text)).toBe(text);
    },
  );

  it.each([
    [
      'terminal codes',
      'a long enough text \u001b[31mred\u001b[0m',
      'a long enough text \ufffd[31mred\ufffd[0m',
    ],
    [
      'text with a direction override',
      'a long enough text \u202egnp.exe',
      'a long enough text \ufffdgnp.exe',
    ],
    ['controls beyond ASCII', 'a long enough text \u009b31m', 'a long enough text \ufffd31m'],
  ])('replaces %s', (_what, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('replaces bytes that are not UTF-8 in mostly valid text', () => {
    expect(responseText(Buffer.from('Zugriff verweigert: ungültig', 'latin1'))).toBe(
      'Zugriff verweigert: ung\ufffdltig',
    );
  });

  it.each([
    ['a compressed body', gzipSync('hello '.repeat(1000))],
    ['an image', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x10, 0x4a, 0x46, 0x49])],
    ['text with a NUL', Buffer.from('plain\0text after it')],
    ['UTF-16', Buffer.from('plain text', 'utf16le')],
    ['65,536 invalid bytes', Buffer.alloc(65_536, 0xfe)],
  ])('is the size of %s', (_what, body) => {
    expect(responseText(body)).toBe(`<binary, ${body.length} bytes>`);
  });

  it.each(['a', 'ü', '€', '😀', 'a\u0001long text', 'a😀ü€'])(
    'has at most 4096 bytes of whole characters: %j',
    (text) => {
      for (const shift of ['', 'x', 'xx', 'xxx']) {
        const whole = shift + text.repeat(20_000);
        const shown = shownText(whole);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limits.loggedResponseBytes);
        expect(Buffer.byteLength(shown)).toBeGreaterThan(limits.loggedResponseBytes - 4);
        expect(whole.replaceAll('\u0001', '\ufffd').startsWith(shown)).toBe(true);
      }
    },
  );

  it('contains only characters that PostgreSQL can store', () => {
    let seed = 1;
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let i = 0; i < 500; i++) {
      const body = Buffer.from('readable '.repeat(20));
      for (let j = next() % 12; j > 0; j--) body[next() % body.length] = next() % 256;
      const shown = responseText(body);
      expect(shown).not.toContain('\0');
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(/[^\P{Cc}\t\n\r]/u);
    }
  });
});
