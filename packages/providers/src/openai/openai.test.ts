import { describe, expect, it } from '@jest/globals';
import { startCounterpart } from '../conformance/counterpart.ts';
import { type Subject, secrets, submissionOf } from '../conformance/subject.ts';
import { describeConformance } from '../conformance/suite.ts';
import { createOpenai } from './openai.ts';

const leak = `OpenAI at http://127.0.0.1:5000/v1 (key ${secrets.apiKey}) cannot run ${secrets.providerModel}`;
const refusal = (status: number, code: string | null, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'x-request-id': 'req-1', ...headers },
  json: { error: { message: leak, type: 'some_error', param: null, code } },
});
const choice = (part: object) => ({ status: 200, json: { choices: [{ finish_reason: 'stop', ...part }] } });

const failures: Subject['failures'] = [
  {
    name: '400',
    reply: refusal(400, null),
    state: 'ended',
    code: 'INPUT_VALIDATION_ERROR',
    says: /cannot run/,
  },
  { name: '422', reply: refusal(422, null), state: 'ended', code: 'INPUT_VALIDATION_ERROR' },
  {
    name: 'a moderation code',
    reply: refusal(400, 'moderation_blocked'),
    state: 'ended',
    code: 'CONTENT_MODERATION_REJECTED',
  },
  {
    name: 'a policy code',
    reply: refusal(400, 'content_policy_violation'),
    state: 'ended',
    code: 'CONTENT_MODERATION_REJECTED',
  },
  { name: '401', reply: refusal(401, 'invalid_api_key'), state: 'ended', code: 'SERVICE_UNAVAILABLE' },
  { name: '403', reply: refusal(403, null), state: 'ended', code: 'SERVICE_UNAVAILABLE' },
  { name: '404', reply: refusal(404, 'model_not_found'), state: 'ended', code: 'MODEL_UNAVAILABLE' },
  { name: '429', reply: refusal(429, 'rate_limit_exceeded'), state: 'refused', code: 'MODEL_OVERLOADED' },
  {
    name: '429 not to be retried',
    reply: refusal(429, null, { 'x-should-retry': 'false' }),
    state: 'ended',
    code: 'MODEL_OVERLOADED',
  },
  {
    name: 'an empty quota',
    reply: refusal(429, 'insufficient_quota'),
    state: 'ended',
    code: 'SERVICE_UNAVAILABLE',
  },
  { name: '500', reply: refusal(500, null), state: 'ended', code: 'GENERATION_FAILED' },
  {
    name: '502 of a proxy',
    reply: { status: 502, text: `<html>${leak}</html>` },
    state: 'ended',
    code: 'MODEL_UNAVAILABLE',
  },
  { name: '503', reply: refusal(503, null), state: 'refused', code: 'MODEL_OVERLOADED' },
  { name: '504', reply: refusal(504, null), state: 'ended', code: 'GENERATION_TIMEOUT' },
];

const chat: Subject = {
  name: 'openai',
  create: createOpenai,
  submission: {},
  success: () => ({
    status: 200,
    json: {
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
      usage: { prompt_tokens: 3, completion_tokens: 5 },
    },
  }),
  outcome: { output: { text: 'hello' }, usage: { inputTokens: 3, outputTokens: 5 } },
  failures: [
    ...failures,
    {
      name: 'filtered content',
      reply: choice({ finish_reason: 'content_filter', message: { content: '' } }),
      state: 'ended',
      code: 'CONTENT_MODERATION_REJECTED',
    },
  ],
  empty: [
    { status: 200, json: { choices: [] } },
    { status: 200, json: { error: 'no' } },
    choice({ message: { content: null } }),
  ],
  recovery: 'impossible',
};

const images: Subject = {
  ...chat,
  submission: {
    options: { endpoint: 'images' },
    mapping: { output: { kind: 'images' }, errors: [] },
    input: { prompt: 'a fox', n: 2 },
  },
  success: () => ({
    status: 200,
    json: {
      data: [{ b64_json: 'AAAA' }, { url: 'https://a/b.png' }],
      usage: { input_tokens: 3, output_tokens: 5 },
    },
  }),
  outcome: {
    output: { images: [{ url: 'data:application/octet-stream;base64,AAAA' }, { url: 'https://a/b.png' }] },
    usage: { inputTokens: 3, outputTokens: 5 },
  },
  failures,
  empty: [
    { status: 200, json: { data: [] } },
    { status: 200, json: { data: [{}] } },
  ],
};

describe('chat', () => describeConformance(chat));
describe('images', () => describeConformance(images));

async function sent(baseUrlPath: string, part: Parameters<typeof submissionOf>[1]) {
  const counterpart = await startCounterpart();
  const provider = createOpenai({ baseUrl: counterpart.baseUrl + baseUrlPath, apiKey: null, settings: {} });
  await provider.submit(submissionOf(chat, part), new AbortController().signal);
  provider.close();
  await counterpart.close();
  return counterpart.received[0];
}

describe('the request to an OpenAI-compatible server', () => {
  it('turns prompt and system into messages, and passes the rest on', async () => {
    const input = { prompt: 'hi', system: 'be kind', temperature: 0.5, model: 'other', stream: true };
    expect(await sent('', { input, options: { body: { seed: 1 } } })).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      json: {
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'hi' },
        ],
        temperature: 0.5,
        seed: 1,
        model: secrets.providerModel,
        stream: false,
      },
    });
  });

  it('takes messages as they are', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    expect(await sent('', { input: { messages } })).toMatchObject({ json: { messages } });
  });

  it.each([
    ['/v1', '/v1/chat/completions'],
    ['/v1beta/openai', '/v1beta/openai/chat/completions'],
    ['/proxy', '/proxy/v1/chat/completions'],
  ])('a base URL that ends in %s leads to %s', async (base, path) => {
    expect(await sent(base, {})).toMatchObject({ path });
  });

  it('tells the operator, not the client, about a refused key', async () => {
    const counterpart = await startCounterpart();
    const provider = createOpenai({ baseUrl: counterpart.baseUrl, apiKey: secrets.apiKey, settings: {} });
    counterpart.reply(refusal(401, 'invalid_api_key'));
    const progress = await provider.submit(submissionOf(chat), new AbortController().signal);
    provider.close();
    await counterpart.close();
    expect(progress).toMatchObject({ alert: expect.stringContaining('401 invalid_api_key') });
    expect(JSON.stringify(progress)).not.toContain(secrets.apiKey);
  });
});
