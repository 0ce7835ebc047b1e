import { expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const { gateway, key } = await faceGateway(
  'openai',
  [{ slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } }],
  { RATE_LIMIT_PER_MINUTE: '1' },
);
const list = () => gateway.client(key).get('/v1/openai/models');

it("a request over the rate limit is refused with OpenAI's names for the limit and for when to repeat it", async () => {
  const first = await list().expect(200);
  expect(first.headers).toMatchObject({
    'x-ratelimit-limit-requests': '1',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': expect.stringMatching(/^[1-9]\d?s$/),
  });
  const { headers, body } = await list().expect(429);
  expect(body.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers['retry-after-ms']).toBe(String(Number(headers['retry-after']) * 1000));
  expect(headers['x-should-retry']).toBeUndefined();
});
