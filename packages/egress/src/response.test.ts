import { describe, expect, it } from '@jest/globals';
import { messageOf, parseJson } from './response.ts';

describe('parseJson', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('parses JSON', () => {
    expect(parseJson('{"a":[1,{"__proto__":{"b":2}}]}')).toEqual(
      JSON.parse('{"a":[1,{"__proto__":{"b":2}}]}'),
    );
    expect(parseJson(nested(100))).toEqual(JSON.parse(nested(100)));
    expect(parseJson('null')).toBeNull();
  });

  it('reads the numbers of Python that JSON has no words for as null', () => {
    expect(parseJson('{"a":NaN,"b":[-Infinity,Infinity, 1],"NaN":"Infinity \\" NaN","c":"\\\\"}')).toEqual({
      a: null,
      b: [null, null, 1],
      NaN: 'Infinity " NaN',
      c: '\\',
    });
    expect(parseJson('{"a":xNaN}')).toBeUndefined();
    expect(parseJson('{"a":NaN,"b":"Infinity}')).toBeUndefined();
  });

  it('parses a large text of few values', () => {
    const text = JSON.stringify({
      b64_json: 'A'.repeat(5_000_000),
      numbers: Array.from({ length: 1000 }, () => 1),
    });
    expect(JSON.stringify(parseJson(text)) === text).toBe(true);
    const commas = JSON.stringify({ a: '\\', b: `\\"${',['.repeat(3_000_000)}\\` });
    expect(JSON.stringify(parseJson(commas)) === commas).toBe(true);
  });

  it('refuses text with too many values for memory', () => {
    expect(parseJson(`[${'[],'.repeat(2_500_000)}1]`)).toBeUndefined();
    expect(parseJson(`{"\\\\":${'[],'.repeat(4_000_001)}1}`)).toBeUndefined();
    expect(parseJson(`{"a":${'[{},{}],'.repeat(1_000_000)}`)).toBeUndefined();
  });

  it.each([
    '',
    '<html>',
    '{"a":',
    nested(200),
    nested(200_000),
    '{"a":'.repeat(5000) + '1'.concat('}'.repeat(5000)),
  ])('returns undefined for invalid or too deeply nested text (%#)', (text) => {
    expect(parseJson(text)).toBeUndefined();
  });
});

describe('message of', () => {
  describe('messageOf', () => {
    it.each([
      [
        'A0:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/m.c:77: ',
        'wrong version number',
      ],
      ['A0:error:0A000126:SSL routines::unexpected eof while reading\n', 'unexpected eof while reading'],
    ])('extracts the reason from OpenSSL errors', (message, reason) => {
      expect(messageOf(new Error(message))).toBe(reason);
    });

    it('returns other messages unchanged and the code for an empty message', () => {
      expect(messageOf(new Error('other side closed'))).toBe('other side closed');
      expect(messageOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
      expect(messageOf('odd')).toBe('odd');
    });
  });
});
