import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readMigrationState } from '@holdfast/db/migrate/migrate';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startLoad } from '../../faults/rolling/load.ts';
import { problemsOf, untilIdle } from '../../faults/rolling/outcome.ts';
import { restart } from '../../faults/rolling/restart.ts';
import { openTally } from '../../faults/rolling/tally.ts';
import { type Fleet, startFleet } from '../../stack/fleet.ts';
import { checkOut, previousCommit } from './previousVersion.ts';

const names = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'] as const;
const tree = testFolder('previous');
const previous = await previousCommit();
const [described, why] =
  previous === null
    ? [describe.skip, ' (skipped: the history of this clone does not reach back to the schema before)']
    : [describe, ''];

let home: string;
let fleet: Fleet;
let customer: Customer;
let receiver: Receiver;
const accepted: string[] = [];

/** Keeps clients at these gateways busy during `work`, waits until all work is done, and returns what went wrong. */
async function failuresUnderLoad(apis: ApiClient[], during: () => Promise<unknown>): Promise<string[]> {
  const tally = openTally();
  const loads = apis.map((api) => startLoad(api, tally, 6));
  await during();
  await Promise.all(loads.map((load) => load.stop()));
  accepted.push(...loads.flatMap((load) => load.accepted));
  await untilIdle(fleet.db, customer.organizationId);
  return tally.failures;
}

/** The error lines of every service's log. */
function errorLines(): string[] {
  const folder = join(home, 'logs');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
}

/** The migrations of this version that the database lacks. */
const missing = async () => (await readMigrationState(fleet.db)).missing;

const problems = () =>
  problemsOf({
    db: fleet.db,
    organizationId: customer.organizationId,
    accepted,
    received: receiver.received,
  });

described(`the previous version${why}`, () => {
  beforeAll(async () => {
    home = testFolder('versions');
    await checkOut(previous ?? '', tree);
    // The previous version may not know every name that is the default here.
    fleet = await startFleet(home, { COMPATIBLE_APIS: 'openai' }, tree);
    receiver = await startReceiver();
    customer = await fleet.newCustomer();
  }, 120_000);
  afterAll(async () => {
    await fleet?.close();
    await receiver?.close();
  }, 30_000);

  it('the previous version keeps working during and after the migration to the new schema', async () => {
    const { status } = await customer.api.post('/v1/webhooks/endpoints', { url: receiver.url });
    expect(status).toBe(201);
    expect(await missing()).not.toEqual([]);
    const upgrade = async () => {
      await delay(2000);
      await fleet.setUp();
      await delay(3000);
    };
    expect(await failuresUnderLoad([customer.api], upgrade)).toEqual([]);
    expect(await missing()).toEqual([]);
    expect(await problems()).toEqual([]);
    expect(errorLines()).toEqual([]);
  }, 120_000);

  it('the previous version starts on the new schema, and both versions finish executions of the other', async () => {
    for (const name of names) await restart(fleet, name);
    const [otherUrl = ''] = await Promise.all(names.map((name) => fleet.addCopy(name)));
    const apis = [customer.api, apiClient(otherUrl, customer.apiKey)];
    expect(await failuresUnderLoad(apis, () => delay(6000))).toEqual([]);
    expect(await problems()).toEqual([]);
    expect(errorLines()).toEqual([]);
    for (const copy of ['dispatcher', 'dispatcher-2'])
      expect(await fleet.metricsOf(copy)).toMatch(/^holdfast_runs_total\{.*\} [1-9]/m);
  }, 120_000);

  it('both versions respond to requests through a queue', async () => {
    const path = `/admin/v1/organizations/${customer.organizationId}/top-ups`;
    const topUps = Array.from({ length: 8 }, (_, index) =>
      fleet.admin.post(path, { amount: '1' }, { 'idempotency-key': `top-up-${index}` }),
    );
    expect((await Promise.all(topUps)).map(({ status }) => status)).toEqual(topUps.map(() => 201));
    const { body } = await customer.api.get('/v1/webhooks/endpoints');
    const [{ id } = { id: '' }] = body['endpoints'] as { id: string }[];
    for (let call = 0; call < 8; call++) {
      const response = await customer.api.post(`/v1/webhooks/endpoints/${id}/test`);
      expect(response.body).toMatchObject({ success: true });
    }
    expect(errorLines()).toEqual([]);
  }, 60_000);
});
