import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { closedPort, startHosted } from './hosted.ts';
import { expectEndedOnce, limitsOf, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let customer: Customer;

const heavy = (weight: number) => ({ ...at.first(), weight });
const hosted = await startHosted(
  [
    writer('either', [at.first(), at.second()]),
    writer('unconfigured-first', [{ ...at.first(), connection: 'nowhere' }, at.second()]),
    painter('painting', [at.fal(), at.replicate()]),
    writer('by-weight', [heavy(3), { ...at.second(), weight: 1 }]),
    writer('never-first', [heavy(0), { ...at.second(), weight: 1 }]),
    writer('hasty', [at.first(), at.second()], { timeout_s: 10 }),
  ],
  { NOWHERE_BASE_URL: await closedPort() },
);
const redis = limitsOf(hosted.stack);

beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
  await redis.del('{holdfast-limits}:capacity');
  for (const fake of [hosted.first, hosted.second]) fake.plan({ submit: 'accept', endsAfterMs: 0 });
});

type Attempt = {
  provider: string;
  state: string;
  raw_error: string | null;
  outcome: { ok: boolean; code: string | null } | null;
  cost: string | null;
};

async function attemptsOf(id: string): Promise<Attempt[]> {
  return (await hosted.stack.admin.get(`/admin/v1/executions/${id}/attempts`)).body['data'] as Attempt[];
}
const refusedBy = (provider: string, code: string, said: string) => ({
  provider,
  state: 'refused',
  raw_error: expect.stringContaining(said) as unknown,
  outcome: { ok: false, code },
  cost: null,
});

async function completes(model: string): Promise<{ id: string; attempts: Attempt[] }> {
  const id = await create(customer.api, model, { prompt: 'a' });
  await untilStatus(customer.api, id, 'COMPLETED');
  await expectEndedOnce(hosted.stack, customer, id);
  return { id, attempts: await attemptsOf(id) };
}

describe('a model with two providers runs at the second one when the first', () => {
  it.each([
    ['is busy and says for how long', { status: 429, headers: { 'retry-after': '30' } }],
    ['is busy', { status: 409 }],
    ['is not ready', { status: 503 }],
  ])('%s, at once and in the same attempt', async (_how, submit) => {
    hosted.first.plan({ submit });
    const { attempts } = await completes('either');
    expect(attempts).toMatchObject([
      { provider: 'second', state: 'succeeded', busy_refusals: 1, outcome: { ok: true }, cost: '0.04' },
    ]);
  });

  it.each([
    [
      'refuses our key',
      { status: 401, json: { detail: 'who are you' } },
      'SERVICE_UNAVAILABLE',
      'who are you',
    ],
    ['does not know the model', { status: 404, json: { detail: 'gone' } }, 'MODEL_UNAVAILABLE', 'gone'],
  ])('%s, at once', async (_how, submit, code, said) => {
    hosted.first.plan({ submit });
    const { attempts } = await completes('either');
    expect(attempts).toMatchObject([
      refusedBy('first', code, said),
      { provider: 'second', state: 'succeeded', raw_error: null, outcome: { ok: true }, cost: '0.04' },
    ]);
  });

  it('refuses connections', async () => {
    const { attempts } = await completes('unconfigured-first');
    expect(attempts.at(0)).toMatchObject(refusedBy('nowhere', 'MODEL_UNAVAILABLE', 'ECONNREFUSED'));
    expect(attempts.at(-1)).toMatchObject({ provider: 'second', state: 'succeeded' });
  });

  it('calls back and uses other names for inputs and errors, and each provider gets its own', async () => {
    hosted.fal.plan({ submit: { status: 403, json: { detail: 'User is locked' } } });
    hosted.replicate.plan({ endsAfterMs: 10 });
    const { attempts } = await completes('painting');
    expect(attempts).toMatchObject([
      refusedBy('fal', 'SERVICE_UNAVAILABLE', 'User is locked'),
      { provider: 'replicate', state: 'succeeded' },
    ]);
  });
});

it('a run that failed after its provider accepted it is not retried at the second one', async () => {
  hosted.first.plan({ ends: { status: 'failed', error: 'out of memory', output: null } });
  const before = hosted.second.accepted().length;
  const id = await create(customer.api, 'either', { prompt: 'a' });
  await untilStatus(customer.api, id, 'FAILED');
  await expectEndedOnce(hosted.stack, customer, id);
  expect(await attemptsOf(id)).toMatchObject([{ provider: 'first', state: 'failed' }]);
  expect(hosted.second.accepted()).toHaveLength(before);
  hosted.first.plan({ ends: { output: ['hel', 'lo'] } });
});

describe('an execution that no provider has run', () => {
  it('fails with the error of the last provider', async () => {
    hosted.first.plan({ submit: { status: 401, json: { detail: 'who are you' } } });
    hosted.second.plan({ submit: { status: 404, json: { detail: 'no such model' } } });
    const id = await create(customer.api, 'either', { prompt: 'a' });
    expect((await untilStatus(customer.api, id, 'FAILED')).error?.code).toBe('MODEL_UNAVAILABLE');
    await expectEndedOnce(hosted.stack, customer, id);
    expect((await attemptsOf(id)).map(({ provider, state }) => [provider, state])).toEqual([
      ['first', 'refused'],
      ['second', 'failed'],
    ]);
  });

  it('waits if one of its providers was busy, and then expires', async () => {
    hosted.first.plan({ submit: { status: 401, json: { detail: 'who are you' } } });
    hosted.second.plan({ submit: { status: 429, headers: { 'retry-after': '30' } } });
    const id = await create(customer.api, 'hasty', { prompt: 'a' });
    expect((await untilStatus(customer.api, id, 'EXPIRED')).error?.code).toBe('GENERATION_TIMEOUT');
    await expectEndedOnce(hosted.stack, customer, id);
    await until('its attempts are over', async () => {
      const states = (await attemptsOf(id)).map(({ provider, state }) => `${provider} ${state}`);
      return states.join() === 'first refused,second cancelled';
    });
  });
});

describe('the weights of providers', () => {
  it('divide the first attempts, and a provider with weight 0 is only a fallback', async () => {
    const before = [hosted.first.accepted().length, hosted.second.accepted().length] as const;
    const count = 40;
    await Promise.all(
      Array.from({ length: count }, () => create(customer.api, 'by-weight', { prompt: 'a' })),
    );
    const both = () =>
      [hosted.first.accepted().length - before[0], hosted.second.accepted().length - before[1]] as const;
    await until('all were sent', () => both()[0] + both()[1] === count);
    const [first, second] = both();
    // 40 tries with a chance of 3 in 4 fall outside of this once in a million times.
    expect(first).toBeGreaterThan(second - 10);
    expect(second).toBeGreaterThan(0);
    const { attempts } = await (async () => {
      customer = await newCustomer(hosted.stack);
      return await completes('never-first');
    })();
    expect(attempts).toMatchObject([{ provider: 'second' }]);
    hosted.second.plan({ submit: { status: 401 } });
    customer = await newCustomer(hosted.stack);
    expect((await completes('never-first')).attempts).toMatchObject([
      { provider: 'second' },
      { provider: 'first' },
    ]);
  });
});
