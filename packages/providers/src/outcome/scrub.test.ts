import { describe, expect, it } from '@jest/globals';
import { rawText } from './raw.ts';
import { scrub, scrubLine } from './scrub.ts';

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
    ['OPENAI_API_KEY is not set', /openai/i],
    ['litellm.BadRequestError: AzureOpenAIException - no', /llm|azure|openai/i],
    ['FalServerException in fal_client, ReplicateError, VLLMEngine', /fal_?|replicate|llm/i],
    ['saved as model.replicate.delivery/x, fal.media/x and r8.im/x', /replicate|fal|r8/i],
    ['bad\u0000byte\u001b[31m', /\p{Cc}/u],
  ])('%s', (text, forbidden) => {
    expect(scrub(text, secrets)).not.toMatch(forbidden);
  });

  it.each([
    'prompt must be at most 77 tokens, got 93',
    'False is not one of the cognate values: FALSE, a sandboxed falcon',
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
      'a-'.repeat(10_000),
    ]) {
      const startedMs = performance.now();
      expect(scrub(hostile, secrets).length).toBeLessThanOrEqual(500);
      expect(performance.now() - startedMs).toBeLessThan(100);
    }
  });

  it('keeps a line of a log whole, up to 4 KiB of it, and of a bar its last state', () => {
    const long = `    at step "${'x'.repeat(2000)}" (line 7)`;
    expect(scrubLine(`${long} \n`, secrets)).toBe(long);
    expect(scrubLine('x'.repeat(60_000), secrets)).toHaveLength(4096);
    expect(scrubLine('  0%| | 0/28\r 50%|##| 14/28\r100%|####| 28/28\r', secrets)).toBe('100%|####| 28/28');
    expect(scrubLine('\r', secrets)).toBe('');
    expect(scrubLine(`${'x'.repeat(4090)}${secrets.apiKey}`, secrets)).not.toContain(
      secrets.apiKey.slice(0, 4),
    );
  });

  it('takes a log of nothing but hostile lines in bounded time', () => {
    const startedMs = performance.now();
    for (let lines = 0; lines < 100; lines += 1) {
      scrubLine('a.'.repeat(1000), secrets);
      scrubLine('a-'.repeat(1000), secrets);
    }
    expect(performance.now() - startedMs).toBeLessThan(500);
  });

  it('knows the credentials of a base URL', () => {
    const own = { baseUrl: 'http://operator:p%40ssword1@gpu.lan:5000', apiKey: null };
    const sent = Buffer.from('operator:p@ssword1').toString('base64');
    expect(scrub(`operator p%40ssword1 p@ssword1 ${sent}`, own)).not.toMatch(/operator|ssword1|b3Bl/);
    expect(rawText(`operator p%40ssword1 p@ssword1 ${sent}`, own)).toBe('[key] [key] [key] [key]');
  });
});
