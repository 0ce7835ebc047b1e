import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { describe, expect, it } from '@jest/globals';
import { failure, reportedFailure } from './failure.ts';
import { firstLine, logLine, rawText, responseText, withRaw } from './raw.ts';

const secrets = {
  baseUrl: 'http://gpu',
  apiKey: 'hunter2hunter2',
  settings: { TOKEN: 'hunter2hunter2-and-more', MAX_CONCURRENCY: '10' },
};

describe('the raw error for operators', () => {
  it('is the text of the provider with our keys masked, and the message contains none of it', () => {
    const text = 'Bearer hunter2hunter2 at http://gpu, hunter2hunter2-and-more, 10 times';
    const mapping: OutcomeMapping = { output: { kind: 'text' }, errors: [] };
    expect(reportedFailure({ text, code: 'GENERATION_FAILED' }, mapping, secrets)).toEqual({
      ...failure('GENERATION_FAILED'),
      raw: 'Bearer [key] at http://gpu, [key], 10 times',
    });
  });

  it('is a response with its status and request id', () => {
    const response = { ok: true, status: 401, headers: { 'x-request-id': 'req-1' }, json: {} } as const;
    expect(responseText({ ...response, bodyText: '{"error":1}' })).toBe('401 request req-1 {"error":1}');
    expect(responseText({ ...response, headers: {}, bodyText: '' })).toBe('401');
  });

  it('is at most 4 KiB of storable text, without a key cut in half at its end', () => {
    expect(Buffer.byteLength(rawText('ü'.repeat(1_000_000), secrets))).toBe(4096);
    expect(rawText(`x${'ü'.repeat(4000)}`, secrets)).not.toContain('\ufffd');
    expect(rawText('a\u0000b\ud800c', secrets)).toBe('ab\ufffdc');
    expect(rawText(`${'x'.repeat(4090)}hunter2hunter2`, secrets)).not.toContain('hunter');
  });

  it('masks the credentials of a base URL', () => {
    const own = { baseUrl: 'http://operator:p%40ssword1@gpu.lan:5000', apiKey: null };
    const sent = Buffer.from('operator:p@ssword1').toString('base64');
    expect(rawText(`operator p%40ssword1 p@ssword1 ${sent}`, own)).toBe('[key] [key] [key] [key]');
  });

  it('is absent for an empty text', () => {
    expect(withRaw(failure('GENERATION_FAILED'), ' ', secrets)).toEqual(failure('GENERATION_FAILED'));
  });
});

describe('a text of a provider that a model shows to its clients', () => {
  it('is one line of bounded length, without our keys', () => {
    expect(firstLine('\n\u001b[31mThe colour azure\u0000 for hunter2hunter2\n  at predict.py', secrets)).toBe(
      '[31mThe colour azure  for [key]',
    );
    expect(firstLine('x'.repeat(100_000), secrets)).toHaveLength(500);
    expect(firstLine(`${'x'.repeat(495)}hunter2hunter2`, secrets)).not.toContain('hunter');
  });

  it('of a log has at most 4 KiB per line, and the last state of a progress bar', () => {
    const long = `    at step "${'x'.repeat(2000)}" (line 7)`;
    expect(logLine(`${long} \n`, secrets)).toBe(long);
    expect(logLine('x'.repeat(60_000), secrets)).toHaveLength(4096);
    expect(logLine('  0%| | 0/28\r 50%|##| 14/28\r100%|####| 28/28\r', secrets)).toBe('100%|####| 28/28');
    expect(logLine('\r', secrets)).toBe('');
    expect(logLine(`${'x'.repeat(4090)}${secrets.apiKey}`, secrets)).not.toContain('hunter');
  });
});
