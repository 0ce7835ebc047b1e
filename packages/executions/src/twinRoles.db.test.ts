import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { type Database, openDatabase } from '@holdfast/db/client';
import { completeExecutions } from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { roleOf } from '@holdfast/db/roles/rights';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const services = ['api-gateway', 'dispatcher', 'ledger'] as const;
/** Roles belong to the whole server, which other tests share. */
const twinOf = (service: (typeof services)[number]) => `${roleOf[service]}_twin_${process.pid}`;

const { db: owner, url, close } = await openTestDatabase();
let gateway: Database;
let dispatcher: Database;
let ledger: Database;

beforeAll(async () => {
  for (const service of services) {
    const role = twinOf(service);
    await owner.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'twin' IN ROLE ${roleOf[service]}`);
  }
  [gateway, dispatcher, ledger] = services.map((service) => openAs(url, twinOf(service))) as [
    Database,
    Database,
    Database,
  ];
});
afterAll(async () => {
  await Promise.all([gateway, dispatcher, ledger].map((db) => db.close()));
  for (const service of services) await owner.pool.query(`DROP ROLE ${twinOf(service)}`);
  await close();
});

function openAs(databaseUrl: string, role: string): Database {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = 'twin';
  return openDatabase({ url: url.href, poolSize: 1, applicationName: 'test' });
}

it('services work with a second login that is a member of their role', async () => {
  const organizationId = await createTestOrganization(owner, '10');
  const id = await insertTestExecution(gateway, { organizationId });
  const [started] = await startExecutions(dispatcher, [{ id, connection: 'a', target: 'm' }], 30);
  const attemptId = String(started?.attemptId);
  const outcome = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.5' } as const;
  await recordOutcomes(dispatcher, [{ attemptId, outcome, state: 'succeeded' }]);
  await completeExecutions(ledger, [attemptId]);
  expect(await getExecution(gateway, organizationId, id)).toMatchObject({ status: 'COMPLETED' });
  expect(await auditLedger(owner)).toEqual([]);
});
