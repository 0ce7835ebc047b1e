import { setTimeout as delay } from 'node:timers/promises';
import { apiClient } from '@holdfast/testkit/apiClient';
import { closing } from '@holdfast/testkit/closing';
import type { ServiceName } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { expect, it } from '@jest/globals';
import { startFleet } from '../../stack/fleet.ts';
import { startBalancer } from './balancer.ts';
import { startLoad } from './load.ts';
import { problemsOf, untilIdle } from './outcome.ts';
import { graceMs, type Restarted, restart } from './restart.ts';
import { openTally } from './tally.ts';

const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'] as const satisfies ServiceName[];
const replicas = services.flatMap((name) => [name, `${name}-2`]);

/** Longer than the balancer needs to notice. */
const stopDelayS = 1;
/** The time of load before, between and after the restarts. */
const pauseMs = 500;

const balancer = closing(await startBalancer());
const receiver = closing(await startReceiver());
const address = { PUBLIC_URL: balancer.url, CALLBACK_URL: balancer.url, STOP_DELAY_S: String(stopDelayS) };
const fleet = closing(await startFleet(testFolder('rolling'), address));
const [url = ''] = await Promise.all(services.map((name) => fleet.addCopy(name)));
for (const [name, at] of [
  ['api-gateway', fleet.baseUrl],
  ['api-gateway-2', url],
] as const)
  balancer.add({ name, url: at, isReady: () => fleet.isReady(name) });

it('every service restarts under load without a failed request', async () => {
  const { organizationId, apiKey } = await fleet.newCustomer();
  const api = apiClient(balancer.url, apiKey);
  await until('the balancer has gateways', async () => (await api.get('/v1/balance')).status === 200);
  balancer.problems.length = 0;
  await api.post('/v1/webhooks/endpoints', { url: receiver.url });
  const tally = openTally();
  const load = startLoad(api, tally, 5);
  const restarts: Restarted[] = [];
  for (const name of replicas) {
    await delay(pauseMs);
    restarts.push(await restart(fleet, name));
  }
  await delay(pauseMs);
  await load.stop();
  await untilIdle(fleet.db, organizationId);
  const { accepted } = load;
  const lost = await problemsOf({ db: fleet.db, organizationId, accepted, received: receiver.received });
  expect([...tally.failures, ...balancer.problems, ...lost]).toEqual([]);
  expect(accepted.length).toBeGreaterThan(30);
  expect(restarts.map(({ how }) => how)).toEqual(replicas.map(() => 'exit code 0'));
  const slowest = Math.max(...restarts.map(({ endedAfterMs }) => endedAfterMs));
  expect(slowest).toBeLessThanOrEqual(graceMs + stopDelayS * 1000);
}, 240_000);
