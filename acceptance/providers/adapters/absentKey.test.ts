import type { Customer } from '@holdfast/testkit/testData';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { balanceOf, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let hosted: Hosted;
let customer: Customer;

beforeAll(async () => {
  hosted = await startHosted(
    [
      painter('keyless', [at.fal()]),
      writer('no-server', [{ ...at.first(), connection: 'nowhere' }]),
      painter('second-has-one', [at.fal(), at.replicate()]),
    ],
    { FAL_API_KEY: '' },
  );
  customer = await newCustomer(hosted.stack);
});
afterAll(() => hosted.close());

it.each(['keyless', 'no-server'])(
  'a create for a model without a configured key or server (%s) is refused before any hold',
  async (model) => {
    const { status, body } = await customer.api.post('/v1/executions', { model, input: { prompt: 'a' } });
    expect([status, body]).toMatchObject([503, { error: { code: 'MODEL_UNAVAILABLE', retryable: true } }]);
    expect(await balanceOf(customer)).toEqual({ available: '100.00', held: '0.00' });
    expect(await hosted.stack.db.prisma.execution.count()).toBe(0);
  },
);

it('a model with two providers runs at the one whose key is set', async () => {
  hosted.replicate.plan({ endsAfterMs: 10 });
  const id = await create(customer.api, 'second-has-one', { prompt: 'a' });
  await untilStatus(customer.api, id, 'COMPLETED');
  expect(await hosted.stack.db.prisma.attempt.findMany({ where: { executionId: id } })).toMatchObject([
    { provider: 'replicate' },
  ]);
  expect(hosted.fal.received).toEqual([]);
});
