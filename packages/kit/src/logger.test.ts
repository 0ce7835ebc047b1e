import { expect, it, jest } from '@jest/globals';
import { createLogger } from './logger.ts';

/** The line that is written for these fields. */
function written(fields: Record<string, unknown>): Record<string, unknown> {
  const write = jest.fn<(line: string) => void>();
  const log = createLogger('test', 'info', { write });
  log.info(fields, 'said');
  return JSON.parse(write.mock.calls[0]?.[0] ?? '') as Record<string, unknown>;
}

it('secrets and content are not written, whoever passes them', () => {
  const line = written({ url: 'https://x?signature=s', request: { headers: { a: 's' }, input: 's' }, ok: 1 });
  expect(line).toMatchObject({
    level: 'info',
    service: 'test',
    url: '[redacted]',
    request: { headers: '[redacted]', input: '[redacted]' },
    ok: 1,
  });
});

it('of an error is written what it is, not what it quotes', () => {
  const cause = Object.assign(new Error('inner'), { detail: 'a row' });
  const err = Object.assign(new TypeError('outer', { cause }), {
    code: '22P05',
    where: 'JSON data: an output',
  });
  const line = JSON.stringify(written({ err }));
  expect(line).toContain('"type":"TypeError","message":"outer"');
  expect(line).toContain('"code":"22P05"');
  expect(line).toContain('"message":"inner"');
  expect(line).not.toMatch(/a row|an output/);
});
