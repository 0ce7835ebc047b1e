import { expect, it } from '@jest/globals';
import { optionsProblems } from './adapterOptions.ts';

it.each([
  ['cog', { path: '' }],
  ['openai', {}],
  ['replicate', { version: 'v1' }],
  ['openai', { endpoint: 'responses', body: { seed: 1 } }],
] as const)('%s takes the options %j', (adapter, options) => {
  expect(optionsProblems(adapter, options)).toEqual([]);
});

it.each([
  ['cog', { path: 5 }, ['path']],
  ['cog', { paht: '' }, []],
  ['replicate', { version: 1 }, ['version']],
  ['openai', { endpoint: 'chats' }, ['endpoint']],
  ['openai', { body: 'seed' }, ['body']],
] as const)('%s does not take the options %j', (adapter, options, path) => {
  expect(optionsProblems(adapter, options)).toEqual([{ path, message: expect.any(String) }]);
});
