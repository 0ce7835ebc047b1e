import type { Money } from '@holdfast/domain/money';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { expectChargedOnce } from './charges.ts';
import { expectNone } from './checks.ts';
import { need, type TestContext } from './context.ts';
import type { Customer } from './customer.ts';
import { expectAuthentic, expectEvents } from './events.ts';
import { expectImages } from './images.ts';
import { auditLedger, readLedger } from './ledger.ts';
import type { Accepted, Span } from './load.ts';
import { listAll } from './records.ts';
import { countLost, expectAllEnded, expectAllThere } from './statuses.ts';

type LoadResult = {
  customer: Customer;
  count: number;
  accepted: Accepted;
  losses: Span[];
  received: Received[];
};

/** Checks what must be true at the end, whatever happened. */
export async function checkOutcome(context: TestContext, result: LoadResult): Promise<void> {
  const { project, check, say } = context;
  const { customer, count, accepted, losses, received } = result;
  const [records, ledger, balance] = await need(context, 'the API and the database return the results', () =>
    Promise.all([
      listAll(customer.api),
      readLedger(project, customer.organizationId),
      customer.api.get('/v1/balance'),
    ]),
  );
  const { available, held } = balance.body as { available: Money; held: Money };
  const statuses = Object.entries(Object.groupBy(records, ({ status }) => status));
  const counted = statuses.map(([status, ended]) => `${ended?.length} ${status}`).join(', ');
  say(`${counted}; ${countLost(records, losses)} of the failed runs were lost with the sandbox`);
  say(`${received.length} webhooks brought ${ledger.events.length} events; ${available} is left`);

  await check('each create was accepted once', () => expectAllThere(accepted, records, count));
  await check('every execution has its expected final status', () =>
    expectAllEnded(accepted, records, losses),
  );
  await check('each execution is charged once, for its price, or not at all', () =>
    expectChargedOnce({ accepted, records, charges: ledger.charges, available }),
  );
  await check('nothing is held', () => expectNone('is held', Number(held) === 0 ? [] : [held]));
  await check('the audit of the ledger finds nothing', async () => {
    const breaches = await auditLedger(project);
    expectNone(
      'breaches',
      breaches.map((breach) => JSON.stringify(breach)),
    );
  });
  await check('every event was delivered', () => expectEvents(received, ledger.events, records));
  await check('every webhook had the right signature', () => expectAuthentic(received, customer.secret));
  await check('every image can be downloaded', () => expectImages(customer.api, records));
  await check('no container exited except the killed ones', () => expectNoOtherDeaths(context));
}

async function expectNoOtherDeaths({ project }: TestContext): Promise<void> {
  const containers = (await project.containers()).filter(({ restarts }) => restarts > 1);
  expectNone(
    'restarted more than once',
    containers.map(({ name, restarts }) => `${name} ${restarts} times`),
  );
}
