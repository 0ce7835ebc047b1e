import { servicePort } from '@holdfast/local/launch/ports';
import { type FakeCog, startFakeCog } from '@holdfast/providers/cog/testing/fakeCog';
import { startWireServer, type WireServer } from '@holdfast/providers/conformance/wireServer';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { type Stack, startStack } from '../../stack/stack.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, writer } from './models.ts';

/** Responses of LiteLLM's proxy without a database, all with status 400. */
const responses = {
  'a wrong key': { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' },
  'an unknown model': {
    message:
      '/chat/completions: Invalid model name passed in model=writer. Call `/v1/models` to view available models for your key.',
    type: 'invalid_request_error',
    param: null,
    code: '400',
  },
  'the account of its upstream': {
    message:
      'litellm.BadRequestError: GroqException - {"error": {"message": "Organization has been restricted"}}',
    type: 'invalid_request_error',
    param: null,
    code: '400',
  },
};

let proxy: WireServer;
let second: FakeCog;
let stack: Stack;
let customer: Customer;
let error: object = {};
let metricsUrl: string;

beforeAll(async () => {
  proxy = await startWireServer(() => ({ status: 400, json: { error } }));
  second = await startFakeCog();
  const atProxy = { adapter: 'openai', connection: 'proxy', model: 'writer' } as const;
  stack = await startStack({ PROXY_BASE_URL: proxy.origin, SECOND_BASE_URL: second.baseUrl }, [
    writer('with-a-second', [atProxy, at.second()]),
    writer('alone', [atProxy]),
  ]);
  const port = await servicePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  await stack.services.stop('dispatcher');
  await stack.services.start('dispatcher', { METRICS_PORT: String(port) });
});
afterAll(async () => {
  await stack.close();
  await Promise.all([proxy.close(), second.close()]);
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});

async function alerts(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^holdfast_provider_alerts_total\{.*connection="proxy".*\} (\d+)$/m.exec(text)?.[1]);
}

async function attemptsOf(id: string) {
  return (await stack.admin.get(`/admin/v1/executions/${id}/attempts`)).body['data'];
}

it.each(Object.entries(responses))(
  'after a 400 from a proxy for %s, the next provider is tried and the operator is alerted',
  async (_what, said) => {
    error = said;
    const before = await alerts();
    const id = await create(customer.api, 'with-a-second', { prompt: 'a' });
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(stack, customer, id);
    expect(await attemptsOf(id)).toMatchObject([
      { provider: 'proxy', state: 'refused', raw_error: expect.stringContaining(said.message.slice(0, 20)) },
      { provider: 'second', state: 'succeeded' },
    ]);
    await until('the alert is counted', async () => (await alerts()) === before + 1);
  },
);

it.each(Object.entries(responses))(
  'after a 400 for %s from the only provider of a model, the execution fails with a message of Holdfast',
  async (_what, said) => {
    error = said;
    const id = await create(customer.api, 'alone', { prompt: 'a' });
    const record = await untilStatus(customer.api, id, 'FAILED');
    expect(record.error).toMatchObject({ code: expect.stringMatching(/_UNAVAILABLE$/), retryable: true });
    expect(record.error?.message).toMatch(/^The (model|service) is not available at the moment\.$/);
    await expectEndedOnce(stack, customer, id);
    expect(await attemptsOf(id)).toMatchObject([
      { provider: 'proxy', raw_error: expect.stringContaining(said.message.slice(0, 20)) },
    ]);
  },
);

it('after a 400 from a proxy about the input, the execution fails and no other provider is tried', async () => {
  error = { message: 'litellm.BadRequestError: OpenAIException - too long', param: 'messages', code: '400' };
  const before = [second.accepted().length, await alerts()];
  const id = await create(customer.api, 'with-a-second', { prompt: 'a' });
  expect((await untilStatus(customer.api, id, 'FAILED')).error).toMatchObject({
    code: 'INPUT_VALIDATION_ERROR',
    message: 'The model refused the input: check input.prompt.',
  });
  await expectEndedOnce(stack, customer, id);
  expect([second.accepted().length, await alerts()]).toEqual(before);
});
