import { describe, expect, it } from '@jest/globals';
import type { CallbackRun } from '../interface.ts';
import { unknownHandle } from './handle.ts';
import { fixture } from './testing/fixtures.ts';
import { readingOf, readWebhook } from './webhook.ts';

const connection = { baseUrl: 'https://queue.fal.run', apiKey: 'key-123456' };
const run: CallbackRun = {
  token: 'token',
  providerModel: 'acme/model',
  options: {},
  handle: null,
  mapping: { output: { kind: 'images' }, errors: [], fields: { prompt: { name: 'prompt', schema: {} } } },
};
const reading = (json: unknown, part: Partial<CallbackRun> = {}) => {
  const webhook = readWebhook(json, { ...run, ...part });
  return webhook && readingOf(webhook, { ...run, ...part }, connection);
};

describe('a webhook', () => {
  it('contains the output', () => {
    expect(reading(fixture('webhookOk'))).toMatchObject({
      state: 'ended',
      outcome: { ok: true, output: { images: [{ url: 'https://url.to/image.png' }] } },
    });
  });

  it('names the invalid field', () => {
    expect(reading(fixture('webhookError'))).toMatchObject({
      outcome: {
        code: 'INPUT_VALIDATION_ERROR',
        message: 'The model refused the input: check input.prompt.',
      },
    });
  });

  it('alerts the operator about a field that clients do not set', () => {
    const mapping = { output: { kind: 'images' as const }, errors: [] };
    expect(reading(fixture('webhookError'), { mapping })).toMatchObject({
      outcome: { code: 'MODEL_UNAVAILABLE', message: 'The model is not available at the moment.' },
      alert: expect.stringMatching(/^the connection returned 422 value_error\.missing to a run/),
    });
  });

  it.each([
    [{ error: 'Invalid status code: 429', payload: null }, 'MODEL_OVERLOADED'],
    [{ error: 'Invalid status code: 504', payload: { detail: 'late' } }, 'GENERATION_TIMEOUT'],
    [{ error: 'unexpected status code: 503', payload: null }, 'MODEL_UNAVAILABLE'],
    [{ error: 'Runner lost', error_type: 'runner_disconnected', payload: null }, 'MODEL_UNAVAILABLE'],
    [{ error: 'it broke', payload: null }, 'GENERATION_FAILED'],
    [{}, 'GENERATION_FAILED'],
    ...['constructor', 'toString', '__proto__'].map(
      (type) => [{ payload: { detail: [{ loc: [], msg: 'm', type }] } }, 'GENERATION_FAILED'] as const,
    ),
  ])('maps %j to %s', (part, code) => {
    expect(reading({ request_id: 'x', status: 'ERROR', ...part })).toMatchObject({
      outcome: { ok: false, code, raw: expect.stringContaining('ERROR') },
    });
  });

  it('without the result causes a poll, once the URL is known', () => {
    const body = fixture('webhookPayloadError');
    const handle = { externalId: String(body.request_id) };
    expect(reading(body, { handle })).toBe('poll');
    expect(reading(body)).toBe('later');
  });

  it('ends a run that is known only by its token', () => {
    expect(reading(fixture('webhookOk'), { handle: unknownHandle('exec_1') })).toMatchObject({
      outcome: { ok: true },
    });
  });
});
