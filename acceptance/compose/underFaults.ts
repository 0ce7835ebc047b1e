import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { createCustomer } from './customer.ts';
import { allFaults } from './faults.ts';
import { untilIdle } from './idle.ts';
import { createDuring } from './load.ts';
import { checkOutcome } from './outcome.ts';
import { valueOf } from './settings.ts';
import { need, type Stage } from './stage.ts';

/** Runs many executions while each container is killed in turn, and checks that nothing is lost, stuck or charged twice. */
export async function runUnderFaults(stage: Stage, count: number): Promise<void> {
  const receiver = await startReceiver({ bind: '0.0.0.0', host: 'host.docker.internal' });
  try {
    await runWith(stage, count, receiver);
  } finally {
    await receiver.close();
  }
}

async function runWith(stage: Stage, count: number, receiver: Receiver): Promise<void> {
  const { project, settings, say, signal } = stage;
  const customer = await need(stage, 'the admin API creates a customer', () =>
    createCustomer({
      ...settings,
      adminToken: valueOf(project.folder, 'ADMIN_TOKEN'),
      receiverUrl: receiver.url,
    }),
  );
  const load = await need(
    stage,
    `${count} executions are accepted while each container is killed in turn`,
    async () => createDuring({ customer, count, faults: await allFaults(project), say, signal }),
  );
  await stage.check('all work is done', () => untilIdle(project, customer));
  await checkOutcome(stage, { ...load, customer, count, received: receiver.received });
}
