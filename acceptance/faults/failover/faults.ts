import { until } from '@holdfast/testkit/until';
import type { PostgresCluster } from './cluster.ts';
import type { Machine } from './network.ts';

export const faults = ['switchover', 'killed', 'paused', 'isolated'] as const;
export type Fault = (typeof faults)[number];

const failoverWithinMs = 120_000;

/** Does it to the primary; resolves with the machine that is the primary instead. `heal` ends the fault. */
export async function provoke(fault: Fault, cluster: PostgresCluster, primary: Machine) {
  const others = cluster.machines.filter((machine) => machine !== primary);
  if (fault === 'switchover') await cluster.switchOver(primary);
  if (fault === 'killed') await primary.signal('SIGKILL');
  if (fault === 'paused') await primary.signal('SIGSTOP');
  if (fault === 'isolated') await primary.cutOff(others.map(({ address }) => address));
  const next = await until(
    'another machine is the primary',
    () => cluster.primary(primary),
    failoverWithinMs,
  );
  return {
    next,
    async heal(): Promise<void> {
      if (fault === 'killed') await cluster.restart(primary);
      if (fault === 'paused') await primary.signal('SIGCONT');
      if (fault === 'isolated') await primary.reconnect();
      await cluster.untilHealthy();
    },
  };
}
