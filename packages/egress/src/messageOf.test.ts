import { describe, expect, it } from '@jest/globals';
import { messageOf } from './messageOf.ts';

describe('messageOf', () => {
  it.each([
    [
      'A0:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/m.c:77: ',
      'wrong version number',
    ],
    ['A0:error:0A000126:SSL routines::unexpected eof while reading\n', 'unexpected eof while reading'],
  ])('takes the reason out of what OpenSSL says', (message, reason) => {
    expect(messageOf(new Error(message))).toBe(reason);
  });

  it('leaves other messages as they are, and takes the code of those that say nothing', () => {
    expect(messageOf(new Error('other side closed'))).toBe('other side closed');
    expect(messageOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(messageOf('odd')).toBe('odd');
  });
});
