import { sumProviderCosts } from '@holdfast/db/providerCosts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { completedExecution } from '../testing/newExecution.ts';
import {
  clientOf,
  gatewayOfTests,
  operators,
  organizationWithKey,
  withOperators,
} from '../testing/testGateway.ts';

const gateway = await gatewayOfTests(withOperators);
const admin = clientOf(createAdminApp(gateway.context), operators.val);
let organizationId: string;

beforeAll(async () => {
  const { db } = gateway.context;
  ({ organizationId } = await organizationWithKey(gateway, { balance: '50' }));
  await completedExecution(db, { organizationId, cost: '0.40', providerCost: '0.25' });
  await completedExecution(db, { organizationId, cost: '0.10' });
  await sumProviderCosts(db);
});

const known = { known_revenue: '0.40', cost: '0.25', lost_runs: 0, lost: '0.00', margin: '0.15' };
const unknown = { known_revenue: '0.00', cost: '0.00', lost_runs: 0, lost: '0.00', margin: '0.00' };

const money = async (query: string) => (await admin.get(`/admin/v1/money?${query}`).expect(200)).body;

it('an operator reads revenue, cost and margin by what they choose', async () => {
  const total = { executions: 2, revenue: '0.50', ...known };
  const { unit, data, ...rest } = await money('group_by=organization');
  expect({ unit, data }).toEqual({
    unit: 'hour',
    data: [{ group: organizationId, name: expect.any(String), ...total }],
  });
  expect(rest).toMatchObject({ total, group_by: 'organization' });
  expect((await money('group_by=provider')).data).toEqual([
    { group: 'sandbox', name: null, executions: 1, revenue: '0.40', ...known },
    { group: null, name: null, executions: 1, revenue: '0.10', ...unknown },
  ]);
  expect((await money('provider=sandbox&model=writer')).total).toMatchObject({ executions: 1, ...known });
  expect((await money('model=painter')).data).toEqual([]);
});

it('longer periods are of whole days', async () => {
  const { from, to, unit, data } = await money('from=2026-01-01T05:00:00Z&to=2026-02-01&group_by=time');
  expect([from, to, unit, data]).toEqual(['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', 'day', []]);
  for (const query of ['from=2026-02-01&to=2026-01-01', 'from=2024-01-01&to=2026-01-01'])
    await admin.get(`/admin/v1/money?${query}`).expect(400);
});

it('the rows are returned as CSV', async () => {
  const { text } = await admin.get('/admin/v1/money?group_by=provider').set('Accept', 'text/csv').expect(200);
  expect(text).toBe(
    'group,executions,revenue,known_revenue,cost,lost_runs,lost,margin\r\n' +
      'sandbox,1,0.40,0.40,0.25,0,0.00,0.15\r\n,1,0.10,0.00,0.00,0,0.00,0.00\r\n',
  );
});

describe('the list of organizations', () => {
  let thrifty: string;

  beforeAll(async () => {
    ({ organizationId: thrifty } = await organizationWithKey(gateway, { balance: '1000' }));
    await completedExecution(gateway.context.db, { organizationId: thrifty, cost: '0.01' });
  });

  const list = async (query: string) =>
    (await admin.get(`/admin/v1/organizations?${query}`).expect(200)).body;
  const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);

  it('says what each has and spends, by day, if it is asked to', async () => {
    const [row] = (await list(`include=balance,spend&ids=${organizationId}`)).data;
    expect(row).toMatchObject({
      balance: { held: '0.00' },
      spend: { last_30_days: '0.50' },
      runs_low: false,
    });
    expect([row.spend.days.length, row.spend.days.at(-1)]).toEqual([30, '0.50']);
    expect(await list(`ids=${organizationId}`)).not.toHaveProperty('data.0.spend');
  });

  it.each([
    ['sort=spend', () => [organizationId, thrifty]],
    ['sort=balance', () => [organizationId, thrifty]],
    ['sort=newest', () => [thrifty, organizationId]],
  ])('is in the order of %s, page by page', async (query, order) => {
    const among = `${query}&ids=${organizationId},${thrifty}`;
    expect(await idsOf(among)).toEqual(order());
    const first = await list(`${among}&limit=1`);
    expect([first.data[0].id, first.has_more]).toEqual([order()[0], true]);
    expect(await idsOf(`${among}&limit=1&cursor=${first.next_cursor}`)).toEqual([order()[1]]);
  });

  it('has those whose balance would not last another week', async () => {
    expect(await idsOf('runs_low=true')).toEqual([]);
    const { organizationId: poor } = await organizationWithKey(gateway, { balance: '1' });
    await completedExecution(gateway.context.db, { organizationId: poor, cost: '0.55' });
    expect(await idsOf('runs_low=true&sort=name')).toEqual([poor]);
  });
});
