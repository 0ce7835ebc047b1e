import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { type CallbackProvider, falProvider, replicateProvider } from './callbackProviders.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let hosted: Hosted;
let customer: Customer;

beforeAll(async () => {
  const errors = [{ match: 'NSFW', code: 'CONTENT_MODERATION_REJECTED' as const }];
  hosted = await startHosted([
    painter('painting-one', [at.replicate()], { errors }),
    painter('painting-one-polled', [at.replicate('poll')], { errors }),
    painter('painting-two', [at.fal()]),
    painter('painting-two-polled', [at.fal('poll')]),
    writer('writing', [at.first()]),
  ]);
});
afterAll(() => hosted.close());
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

type Case = [said: string, how: Record<string, unknown>, code: string];

/** Expects a failure with this code, uncharged, without the provider's name for the client, and with its text for the operator. */
async function fails(model: string, code: string): Promise<string> {
  const id = await create(customer.api, model, { prompt: 'a' });
  await untilStatus(customer.api, id, 'FAILED');
  const { error, cost } = await expectEndedOnce(hosted.stack, customer, id);
  expect([error?.code, cost]).toEqual([code, null]);
  expect(error?.message).toMatch(
    /^(The (model|input|format|service|run) [a-z ]+)(: check input\.prompt)?\.$/,
  );
  const { body } = await hosted.stack.admin.get(`/admin/v1/executions/${id}/attempts`);
  const attempts = body['data'] as { raw_error: string | null; outcome: { code: string } }[];
  expect(attempts.at(-1)).toMatchObject({ raw_error: expect.stringMatching(/./), outcome: { code } });
  return id;
}

const modes = (provider: () => CallbackProvider): [string, (ends: object) => void][] => [
  ['callback', () => provider().plan({ endsAfterMs: 30, callsBack: true })],
  ['poll', () => provider().plan({ endsAfterMs: 30, callsBack: false })],
];

describe.each(modes(() => replicateProvider(hosted)))(
  'a failure of a run at Replicate, reported by %s,',
  (mode, prepare) => {
    it.each<Case>([
      [
        'a model that crashes',
        { status: 'failed', error: 'CUDA at /src/predict.py of replicate.com' },
        'GENERATION_FAILED',
      ],
      [
        'a filter',
        { status: 'failed', error: 'NSFW content detected by acme/painter' },
        'CONTENT_MODERATION_REJECTED',
      ],
      [
        'a start that takes too long',
        { status: 'failed', error: 'Prediction failed (E6716)' },
        'GENERATION_TIMEOUT',
      ],
      ['a run that is aborted', { status: 'aborted', error: null }, 'GENERATION_TIMEOUT'],
      ['a run that others cancelled', { status: 'canceled', error: null }, 'GENERATION_FAILED'],
    ])('by %s fails the execution with our error code', async (_said, ends, code) => {
      prepare({});
      hosted.replicate.plan({ create: 'accept', ends });
      await fails(mode === 'poll' ? 'painting-one-polled' : 'painting-one', code);
    });
  },
);

const modelError = (type: string) => ({
  status: 422,
  json: { detail: [{ loc: ['body', 'prompt'], msg: 'refused by fal.ai', type }] },
});

describe.each(modes(() => falProvider(hosted)))(
  'a failure of a run at fal, reported by %s,',
  (mode, prepare) => {
    it.each<Case>([
      ['a filter', modelError('content_policy_violation'), 'CONTENT_MODERATION_REJECTED'],
      ['a file that is not an image', modelError('image_load_error'), 'FILE_FORMAT_UNSUPPORTED'],
      ['a file that cannot be fetched', modelError('file_download_error'), 'GENERATION_FAILED'],
      ['an invalid input', modelError('value_error'), 'INPUT_VALIDATION_ERROR'],
      ['a model that takes too long', modelError('generation_timeout'), 'GENERATION_TIMEOUT'],
      [
        'a model that crashes',
        { status: 500, json: { detail: 'fal crashed', error_type: 'internal_error' } },
        'GENERATION_FAILED',
      ],
    ])('by %s fails the execution with our error code', async (_said, ends, code) => {
      prepare({});
      hosted.fal.plan({ submit: 'accept', ends: ends as never });
      await fails(mode === 'poll' ? 'painting-two-polled' : 'painting-two', code);
    });
  },
);

describe('a submit that fails with', () => {
  it.each([
    [
      422,
      { detail: '- input.prompt: is required at replicate', title: 'Input validation failed' },
      'INPUT_VALIDATION_ERROR',
    ],
    [401, { detail: 'Invalid token r8_secret' }, 'SERVICE_UNAVAILABLE'],
    [402, { detail: 'Pay replicate.com first' }, 'SERVICE_UNAVAILABLE'],
    [404, { detail: 'No acme/painter' }, 'MODEL_UNAVAILABLE'],
  ])('status %s from Replicate is not retried elsewhere and starts no run', async (status, json, code) => {
    const before = hosted.replicate.accepted().length;
    hosted.replicate.plan({ create: { status, json } });
    await fails('painting-one', code);
    expect(hosted.replicate.accepted()).toHaveLength(before);
  });

  it.each([
    [422, modelError('value_error').json, 'INPUT_VALIDATION_ERROR'],
    [403, { detail: 'User is locked. Top up at fal.ai' }, 'SERVICE_UNAVAILABLE'],
    [404, { detail: 'Application acme not found' }, 'MODEL_UNAVAILABLE'],
  ])('status %s from fal is not retried elsewhere and starts no run', async (status, json, code) => {
    const before = hosted.fal.accepted().length;
    hosted.fal.plan({ submit: { status, json } });
    await fails('painting-two', code);
    expect(hosted.fal.accepted()).toHaveLength(before);
  });

  it('status 503 is retried, and its execution completes', async () => {
    hosted.first.plan({ submit: { status: 503, json: { detail: 'cog is setting up' } } });
    const id = await create(customer.api, 'writing', { prompt: 'a' });
    await until('it was put off', () =>
      hosted.stack.db.prisma.attempt.findFirst({ where: { executionId: id, busyRefusals: 1 } }),
    );
    hosted.first.plan({ submit: 'accept' });
    expect(await untilStatus(customer.api, id, 'COMPLETED')).toMatchObject({ cost: '0.04' });
    await expectEndedOnce(hosted.stack, customer, id);
    expect(hosted.first.accepted()).toHaveLength(1);
  });
});
