import { applyModels } from '@holdfast/db/models';
import { type ModelFile, modelDefinition } from '@holdfast/domain/modelDefinition';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let customer: Customer;

const hosted = await startHosted([]);

beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const apply = (model: ModelFile) => applyModels(hosted.stack.db, [modelDefinition.parse(model)]);

const priced = (price: string) => ({ price: { per_run: price } });

const byCallback = (slug: string, price: string) => writer(slug, [at.first('callback')], priced(price));
const byPoll = (slug: string, price: string) => painter(slug, [at.fal('poll')], priced(price));

describe('an execution whose model gets another price and another provider', () => {
  it.each([
    ['to be called back, and dearer', 'first', byCallback('called-back', '0.01'), '7', '0.01'],
    ['polled, and cheaper', 'fal', byPoll('polled', '7'), '0.01', '7.00'],
  ] as const)('while it is %s ends there, for the price of its create', async (...given) => {
    const [, name, model, price, cost] = given;
    const fake = hosted[name];
    fake.plan({ submit: 'accept', endsAfterMs: null });
    await apply(model);
    const accepted = fake.accepted().length;
    const id = await createOffered(model.slug);
    const run = await until('the provider has the run', () => fake.accepted()[accepted]);
    await applyUsed(writer(model.slug, [at.second()], priced(price)));
    await fake.finish(run);
    expect(await untilStatus(customer.api, id, 'COMPLETED')).toMatchObject({ cost });
    await expectEndedOnce(hosted.stack, customer, id);
  });

  it('before its provider accepts it runs at the new one, for the price of its create', async () => {
    hosted.first.plan({ submit: { status: 503 } });
    await apply(writer('retried', [at.first()], priced('0.01')));
    const id = await createOffered('retried');
    await applyUsed(writer('retried', [at.second()], priced('7')));
    expect(await untilStatus(customer.api, id, 'COMPLETED')).toMatchObject({ cost: '0.01' });
    await expectEndedOnce(hosted.stack, customer, id);
  });
});

async function createOffered(model: string): Promise<string> {
  const { api } = customer;
  await until('the model is offered', async () => (await api.get(`/v1/models/${model}`)).status === 200);
  return await create(api, model, { prompt: 'a' });
}

/** Applies a model of the provider `second`, and waits until dispatchers use it. */
async function applyUsed(model: ModelFile): Promise<void> {
  await apply(model);
  const other = await hosted.stack.newCustomer('100000');
  await until('new executions run at the new provider', async () => {
    const id = await create(other.api, model.slug, { prompt: 'b' });
    const providers = await until('the execution was started', async () => {
      const { body } = await hosted.stack.admin.get(`/admin/v1/executions/${id}/attempts`);
      const attempts = body['data'] as { provider: string }[];
      return attempts.length > 0 && attempts.map(({ provider }) => provider);
    });
    return providers.includes('second');
  });
}
