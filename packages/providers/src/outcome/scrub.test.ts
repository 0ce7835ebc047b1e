import { describe, expect, it } from '@jest/globals';
import { scrub } from './scrub.ts';

const secrets = { baseUrl: 'http://gpu-7.lan:5000/x', apiKey: 'hunter2hunter2', providerModel: 'acme/model' };

describe('scrub', () => {
  it.each([
    [
      'Incorrect API key provided: sk-proj-abc123def456. See https://platform.openai.com/keys',
      /sk-|https|openai/i,
    ],
    ['POST http://gpu-7.lan:5000/x/predictions failed for acme/model', /gpu|5000|acme/],
    ['connect ECONNREFUSED 10.0.3.7:5000', /10\.0|5000/],
    ['connect ECONNREFUSED [fd00::12:7]:5000', /fd00|12:7/],
    ['Authorization was Bearer hunter2hunter2', /hunter2/],
    ['File "/src/app/predict.py", line 3', /predict|src/],
    ['cannot read data:image/png;base64,AAAABBBBCCCC', /AAAA/],
    ['Replicate, fal.ai and OpenAI said no', /replicate|fal|openai/i],
    ['bad\u0000byte\u001b[31m', /\p{Cc}/u],
  ])('%s', (text, forbidden) => {
    expect(scrub(text, secrets)).not.toMatch(forbidden);
  });

  it.each([
    'prompt must be at most 77 tokens, got 93',
    'width: Input should be less than or equal to 2048',
    'The aspect ratio 16:9 is not supported at 12:30:45.',
    'Invalid value 1.5 for guidance_scale (0.0 to 1.0)',
  ])('leaves what helps: %s', (text) => {
    expect(scrub(text, secrets)).toBe(text);
  });

  it('keeps one line, of bounded length, in bounded time', () => {
    expect(scrub('\n\nTraceback (most recent call last):\n  secret', secrets)).toBe(
      'Traceback (most recent call last):',
    );
    for (const hostile of [
      'a.'.repeat(10_000),
      ':'.repeat(20_000),
      '/a'.repeat(10_000),
      '1.'.repeat(10_000),
    ]) {
      const startedMs = performance.now();
      expect(scrub(hostile, secrets).length).toBeLessThanOrEqual(500);
      expect(performance.now() - startedMs).toBeLessThan(100);
    }
  });
});
