import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { createCustomer } from './customer.ts';
import { allFaults } from './faults.ts';
import { createDuring } from './load.ts';
import { checkOutcome } from './outcome.ts';
import { untilAtRest } from './rest.ts';
import { valueOf } from './settings.ts';
import { need, type Stage } from './stage.ts';

/** Many executions while everything dies in turn; then nothing may be lost, stuck or paid twice. */
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
  const customer = await need(stage, "a customer is made by the operator's API", () =>
    createCustomer({
      ...settings,
      adminToken: valueOf(project.folder, 'ADMIN_TOKEN'),
      receiverUrl: receiver.url,
    }),
  );
  const load = await need(
    stage,
    `${count} executions are accepted while each container dies in turn`,
    async () => createDuring({ customer, count, faults: await allFaults(project), say, signal }),
  );
  await stage.check('everything comes to rest', () => untilAtRest(project, customer));
  await checkOutcome(stage, { ...load, customer, count, received: receiver.received });
}
