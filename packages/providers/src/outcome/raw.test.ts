import { describe, expect, it } from '@jest/globals';
import { failure, failureFromText } from './failure.ts';
import { answerText, rawText, withRaw } from './raw.ts';

const secrets = {
  baseUrl: 'http://gpu',
  apiKey: 'hunter2hunter2',
  settings: { TOKEN: 'hunter2hunter2-and-more', MAX_CONCURRENCY: '10' },
};

describe('what the operator sees of a failure', () => {
  it("is the provider's words with our keys masked, and nothing of them in the message", () => {
    const text = 'Bearer hunter2hunter2 at http://gpu, hunter2hunter2-and-more, 10 times';
    const told = failureFromText(text, { code: 'GENERATION_FAILED', shown: false }, [], secrets);
    expect(told).toEqual({
      ...failure('GENERATION_FAILED'),
      raw: 'Bearer [key] at http://gpu, [key], 10 times',
    });
  });

  it('is an answer with its status and request id', () => {
    const answer = { ok: true, status: 401, headers: { 'x-request-id': 'req-1' }, json: {} } as const;
    expect(answerText({ ...answer, bodyText: '{"error":1}' })).toBe('401 request req-1 {"error":1}');
    expect(answerText({ ...answer, headers: {}, bodyText: '' })).toBe('401');
  });

  it('is at most 4 KiB of text that a database takes, no key cut in half at its end', () => {
    expect(Buffer.byteLength(rawText('ü'.repeat(1_000_000), secrets))).toBe(4096);
    expect(rawText(`x${'ü'.repeat(4000)}`, secrets)).not.toContain('\ufffd');
    expect(rawText('a\u0000b\ud800c', secrets)).toBe('ab\ufffdc');
    expect(rawText(`${'x'.repeat(4090)}hunter2hunter2`, secrets)).not.toContain('hunter');
  });

  it('is nothing where nothing was said', () => {
    expect(withRaw(failure('GENERATION_FAILED'), ' ', secrets)).toEqual(failure('GENERATION_FAILED'));
  });
});
