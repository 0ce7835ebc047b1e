import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { need, type TestContext } from './context.ts';
import { createCustomer } from './customer.ts';
import { allFaults } from './faults.ts';
import { createDuring } from './load.ts';
import { checkOutcome, untilIdle } from './outcome.ts';
import { valueOf } from './settings.ts';

/** Runs many executions while each container is killed in turn, and checks that nothing is lost, stuck or charged twice. */
export async function runUnderFaults(context: TestContext, count: number): Promise<void> {
  const receiver = await startReceiver({ bind: '0.0.0.0', host: 'host.docker.internal' });
  try {
    await runWith(context, count, receiver);
  } finally {
    await receiver.close();
  }
}

async function runWith(context: TestContext, count: number, receiver: Receiver): Promise<void> {
  const { project, settings, say, signal } = context;
  const customer = await need(context, 'the admin API creates a customer', () =>
    createCustomer({
      ...settings,
      adminToken: valueOf(project.folder, 'ADMIN_TOKEN'),
      receiverUrl: receiver.url,
    }),
  );
  const load = await need(
    context,
    `${count} executions are accepted while each container is killed in turn`,
    async () => createDuring({ customer, count, faults: await allFaults(project), say, signal }),
  );
  await context.check('all work is done', () => untilIdle(customer));
  await checkOutcome(context, { ...load, customer, count, received: receiver.received });
}
