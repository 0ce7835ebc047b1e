import { auditLedger } from '@holdfast/db/audit/audit';
import { type FakeReplicate, startFakeReplicate } from '@holdfast/providers/replicate/testing/fakeReplicate';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { create } from '../../stack/executions.ts';
import { type Fleet, startFleet } from '../../stack/fleet.ts';

const maxConcurrency = 3;

let replicate: FakeReplicate;
let fleet: Fleet;

beforeAll(async () => {
  replicate = await startFakeReplicate();
  fleet = await startFleet(testFolder('killed'), {
    REPLICATE_BASE_URL: replicate.baseUrl,
    REPLICATE_API_KEY: replicate.apiKey,
    REPLICATE_MAX_CONCURRENCY: String(maxConcurrency),
  });
  await fleet.addCopy('dispatcher');
}, 120_000);
afterAll(async () => {
  await fleet.close();
  await replicate.close();
}, 30_000);

const running = () =>
  replicate.accepted().filter((id) => ['starting', 'processing'].includes(replicate.run(id).state)).length;

it('a dispatcher that is killed leaves no slot occupied, and no slot is given out twice', async () => {
  const customer = await fleet.newCustomer();
  replicate.plan({ endsAfterMs: 300 });
  let seen = 0;
  const watching = setInterval(() => {
    seen = Math.max(seen, running());
  }, 5);
  const inputs = Array.from({ length: 40 }, (_, index) => ({ prompt: `image ${index}` }));
  await Promise.all(inputs.map((input) => create(customer.api, 'flux-schnell', input)));
  for (const done of [4, 12]) {
    await until('some are done', () => replicate.accepted().length > done, 60_000);
    await fleet.kill('dispatcher');
  }
  const rows = () =>
    fleet.db.prisma.execution.findMany({ where: { organizationId: customer.organizationId } });
  await until(
    'all have ended',
    async () => (await rows()).every(({ completedAt }) => completedAt !== null),
    90_000,
  ).finally(() => clearInterval(watching));
  expect((await rows()).map(({ status }) => status)).toEqual(inputs.map(() => 'COMPLETED'));
  expect(replicate.accepted()).toHaveLength(inputs.length);
  expect(seen).toBeGreaterThan(1);
  expect(seen).toBeLessThanOrEqual(maxConcurrency);
  expect(await auditLedger(fleet.db)).toEqual([]);
}, 180_000);
