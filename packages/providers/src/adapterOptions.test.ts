import { expect, it } from '@jest/globals';
import { optionsIssues } from './adapterOptions.ts';

it.each([
  ['cog', { path: '' }],
  ['openai', {}],
  ['replicate', { version: 'v1' }],
  ['openai', { endpoint: 'responses', body: { seed: 1 } }],
  ['http', { path: '/x', body: { a: ['{{input.b}}', '{{callback_url}}'] } }],
  [
    'http',
    { path: '/{{model}}', id: '/id', poll: { path: '/jobs/{{id}}' }, headers: { a: { from: 'TOKEN' } } },
  ],
  ['http', { path: '/', response_as: 'file', poll: {}, status: { codes: { done: [200], running: [204] } } }],
  [
    'http',
    { path: '/', response_as: 'text', poll: {}, result: { at: '/url' }, status: { at: '/s', done: [1] } },
  ],
  ['http', { path: '/', stream: { body: { stream: true }, delta: '/d', done: { data: '[DONE]' } } }],
  ['http', { path: '/', response_as: 'file', stream: { format: 'bytes' } }],
  ['http', { path: '/', output: "$.outputs[?@.name == 'text'].data[0]", errors: { text: '$..error' } }],
] as const)('%s accepts the options %j', (adapter, options) => {
  expect(optionsIssues(adapter, options)).toEqual([]);
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
] as const)('%s refuses the options %j', (adapter, options, path) => {
  expect(optionsIssues(adapter, options)).toMatchObject([{ path, message: expect.any(String) }]);
});

const sse = { events: { done: ['complete'] } };
const at = { at: '/state', done: ['ok'] };

it.each<[Record<string, unknown>, string, RegExp]>([
  [{ output: '$.a[' }, 'output', /is not a JSONPath: unclosed/],
  [{ output: 'a' }, 'output', /JSON pointer such as \/job\/id .* or a JSONPath such as/],
  [{ poll: { path: '/{{id}}' } }, 'id', /must be given: \{\{id\}\} is the server's id/],
  [{ status: {} }, 'status.at', /must be given, with `done`; or give `codes`/],
  [{ status: { at: '/s' } }, 'status.done', /must be given together/],
  [{ status: { codes: {} } }, 'status.codes', /at least one HTTP status/],
  [{ status: { codes: { done: [200], failed: [200] } } }, 'status.codes', /each of them once/],
  [{ poll: {}, result: {} }, 'result', /one of `at`, `header` and `path`/],
  [{ result: { at: '/url' } }, 'result', /needs `poll`/],
  [{ response_as: 'file', status: at, poll: {} }, 'response_as', /set the URL of the result in `result`/],
  [{ response_as: 'text', output: '/a' }, 'output', /must be left out/],
  [{ response_as: 'file', usage: { cost: '/a' } }, 'usage', /must be left out/],
  [{ poll: sse, status: at }, 'status', /cannot be combined with `poll.events`, whose/],
  [{ poll: sse, result: { at: '/url' } }, 'result', /the last event contains the result/],
  [{ poll: sse, response_as: 'file' }, 'response_as', /json or text/],
  [{ stream: { done: {} } }, 'stream.done', /one of `events`, `data` and `at`/],
  [{ stream: { path: '/{{id}}' } }, 'stream.path', /has an unknown placeholder id/],
  [{ stream: { format: 'bytes' } }, 'response_as', /is json: `stream.format` bytes needs file/],
  [{ stream: {}, response_as: 'file' }, 'response_as', /set `stream.format` to bytes/],
  [{ stream: { delta: '/d' }, response_as: 'text' }, 'stream.delta', /a text has no places/],
  [{ stream: { body: {} }, method: 'GET' }, 'stream.body', /is for a request with a JSON body/],
  [{ stream: {}, poll: sse }, 'stream', /cannot be combined with `poll.events`/],
  [
    { cancel: { path: '/', body: { a: '{{input.b}}' } } },
    'cancel.body',
    /has an unknown placeholder input.b: known are id/,
  ],
])('http says how to fix %j', (options, path, message) => {
  expect(optionsIssues('http', { path: '/', ...options })).toMatchObject([
    { path: path.split('.'), message: expect.stringMatching(message) },
  ]);
});
