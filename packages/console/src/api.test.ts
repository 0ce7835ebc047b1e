import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LostError, RequestError, requestsTo } from './api.ts';

const { read, change } = requestsTo('/admin/v1');
const json = (status: number, body: object) => new Response(JSON.stringify(body), { status });
const failure = (result: Promise<unknown>) => result.catch((error: unknown) => error);

function answer(response: () => Response | Promise<Response>) {
  return jest.spyOn(globalThis, 'fetch').mockImplementation(async () => await response());
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a request', () => {
  it('asks only for what is given', async () => {
    const sent = answer(() => json(200, { data: [] }));
    await read('/executions', { status: '', model: undefined, text: 'a b', limit: 50 });
    await read('/models');
    expect(sent.mock.calls.map(([address]) => address)).toEqual([
      '/admin/v1/executions?text=a+b&limit=50',
      '/admin/v1/models',
    ]);
  });

  it('that changes something bears the header that no other site can send', async () => {
    const sent = answer(() => json(200, {}));
    await change('POST', '/organizations', { body: { name: 'shop' } });
    expect(sent.mock.calls[0]?.[1]?.headers).toMatchObject({ 'X-Holdfast-Console': '1' });
  });

  it('that is refused fails with the problems of its fields', async () => {
    const details = [{ field: 'input.prompt', code: 'REQUIRED', message: 'prompt is required' }];
    answer(() => json(400, { error: { code: 'VALIDATION_ERROR', message: 'wrong', details } }));
    const error = await failure(read('/executions'));
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: 'wrong', details });
  });
});

describe('a request without a response of the API', () => {
  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  const proxy = () => new Response('<h1>Bad gateway</h1>', { status: 502 });

  it.each([
    ['may be sent again if it reads', () => read('/models'), true],
    ['may be sent again if it sets something', () => change('PUT', '/spend-limit'), true],
    ['may be sent again with its key', () => change('POST', '/top-ups', { idempotencyKey: 'k' }), true],
    ['may have been applied otherwise', () => change('POST', '/api-keys'), false],
  ])('%s', async (_title, request, isRepeatable) => {
    for (const response of [lost, proxy]) {
      answer(response);
      const error = await failure(request());
      expect(error).toBeInstanceOf(LostError);
      expect(error).toMatchObject({ isRepeatable });
    }
  });
});
