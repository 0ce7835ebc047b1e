import { expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

it('lists a bad limit of a connection with the other problems', () => {
  const env = { VLLM_BASE_URL: 'http://vllm.test', VLLM_MAX_CONCURRENCY: 'many', DISPATCH_CONCURRENCY: '0' };
  const problems = () => readConfig(env);
  expect(problems).toThrow(/^The environment is invalid:/);
  expect(problems).toThrow('VLLM_MAX_CONCURRENCY: must be a whole number above 0');
  expect(problems).toThrow('DISPATCH_CONCURRENCY: must be more than 0');
});
