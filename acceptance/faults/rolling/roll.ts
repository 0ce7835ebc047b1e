import { setTimeout as delay } from 'node:timers/promises';
import { apiClient } from '@holdfast/testkit/apiClient';
import type { ServiceName } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { type Fleet, startFleet } from '../../stack/fleet.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { startLoad } from './load.ts';
import { problemsOf, untilIdle } from './outcome.ts';
import { graceMs, type Restarted, restart } from './restart.ts';
import { openTally } from './tally.ts';

const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'] as const satisfies ServiceName[];
const replicas = services.flatMap((name) => [name, `${name}-2`]);

/** Longer than the balancer needs to notice. */
const stopDelayS = 1;

export type RollOptions = {
  /** A fresh folder. */
  home: string;
  /** Executions created per second. */
  perSecond: number;
  /** Time of load before, between and after the restarts. */
  pauseMs: number;
  /** Restarts of each process. */
  rounds: number;
  say(line: string): void;
};

export type Rolled = {
  restarts: Restarted[];
  requests: number;
  resumed: number;
  executions: number;
  webhooks: number;
  /** Empty if no client noticed a restart. */
  problems: string[];
};

/** Restarts every process of every service, one after another, under load. */
export async function roll(options: RollOptions): Promise<Rolled> {
  const balancer = await startBalancer();
  const receiver = await startReceiver();
  options.say('starting two of each service behind a balancer');
  const address = { PUBLIC_URL: balancer.url, CALLBACK_URL: balancer.url, STOP_DELAY_S: String(stopDelayS) };
  const fleet = await startFleet(options.home, address);
  try {
    await addReplicas(fleet, balancer);
    return await rollUnderLoad({ ...options, fleet, balancer, receiver });
  } finally {
    await fleet.close();
    await Promise.all([balancer.close(), receiver.close()]);
  }
}

async function addReplicas(fleet: Fleet, balancer: Balancer): Promise<void> {
  balancer.add({
    name: 'api-gateway',
    url: fleet.baseUrl,
    isReady: () => fleet.isReady('api-gateway'),
  });
  const [url = ''] = await Promise.all(services.map((name) => fleet.addCopy(name)));
  balancer.add({ name: 'api-gateway-2', url, isReady: () => fleet.isReady('api-gateway-2') });
}

type Rollout = RollOptions & {
  fleet: Fleet;
  balancer: Balancer;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
};

async function rollUnderLoad(rollout: Rollout): Promise<Rolled> {
  const { fleet, balancer, receiver, say } = rollout;
  const customer = await fleet.newCustomer();
  const api = apiClient(balancer.url, customer.apiKey);
  await until('the balancer has gateways', async () => (await api.get('/v1/balance')).status === 200);
  balancer.problems.length = 0;
  await api.post('/v1/webhooks/endpoints', { url: receiver.url });
  const tally = openTally();
  const load = startLoad(api, tally, rollout.perSecond);
  say(`${rollout.perSecond} executions a second`);
  const restarts: Restarted[] = [];
  for (const name of Array.from({ length: rollout.rounds }, () => replicas).flat()) {
    await delay(rollout.pauseMs);
    const done = await restart(fleet, name, tally);
    restarts.push(done);
    say(`${name} ended after ${done.endedAfterMs} ms (${done.how}), ready after ${done.readyAfterMs} ms`);
  }
  await delay(rollout.pauseMs);
  say('stopping the load');
  await load.stop();
  const { organizationId } = customer;
  const { accepted } = load;
  const { received } = receiver;
  await untilIdle(fleet.db, organizationId);
  say('auditing the ledger');
  const lost = await problemsOf({ db: fleet.db, organizationId, accepted, received });
  return {
    restarts,
    requests: tally.requests,
    resumed: tally.resumed,
    executions: accepted.length,
    webhooks: received.length,
    problems: [...tally.failures, ...balancer.problems, ...restarts.flatMap(problemOf), ...lost],
  };
}

function problemOf({ name, how, endedAfterMs }: Restarted): string[] {
  const isWell = how === 'exit code 0' && endedAfterMs <= graceMs + stopDelayS * 1000;
  return isWell ? [] : [`${name} ended after ${endedAfterMs} ms: ${how}`];
}
