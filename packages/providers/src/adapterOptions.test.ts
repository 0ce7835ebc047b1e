import { expect, it } from '@jest/globals';
import { optionsProblems } from './adapterOptions.ts';

it.each([
  ['cog', { path: '' }],
  ['openai', {}],
  ['replicate', { version: 'v1' }],
  ['openai', { endpoint: 'responses', body: { seed: 1 } }],
  ['http', { path: '/x', body: { a: ['{{input.b}}', '{{callback_url}}'] } }],
  ['http', { path: '/{{model}}', poll: { path: '/jobs/{{id}}' }, headers: { a: { from: 'TOKEN' } } }],
] as const)('%s takes the options %j', (adapter, options) => {
  expect(optionsProblems(adapter, options)).toEqual([]);
});

it.each([
  ['cog', { path: 5 }, ['path']],
  ['cog', { paht: '' }, []],
  ['replicate', { version: 1 }, ['version']],
  ['openai', { endpoint: 'chats' }, ['endpoint']],
  ['openai', { body: 'seed' }, ['body']],
  ['http', {}, ['path']],
  ['http', { path: 'x' }, ['path']],
  ['http', { path: '/{{id}}' }, ['path']],
  ['http', { path: '/', poll: { path: '/{{input.a}}' } }, ['poll', 'path']],
  ['http', { path: '/', body: { a: '{{inptu.b}}' } }, ['body']],
  ['http', { path: '/', output: 'text' }, ['output']],
  ['http', { path: '/', headers: { 'a b': 'c' } }, ['headers', 'a b']],
  ['http', { path: '/', headers: { a: { from: 'lower' } } }, ['headers', 'a', 'from']],
  ['http', { path: '/', errors: { codes: { nsfw: 'NOPE' } } }, ['errors', 'codes', 'nsfw']],
] as const)('%s does not take the options %j', (adapter, options, path) => {
  expect(optionsProblems(adapter, options)).toEqual([{ path, message: expect.any(String) }]);
});
