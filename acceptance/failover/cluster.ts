import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@holdfast/testkit/until';
import { type Machine, type Network, openNetwork } from './network.ts';
import {
  type ClusterSettings,
  patroniUrl,
  postgresAddress,
  startEtcd,
  startPatroni,
  superuser,
} from './node.ts';

const healthyWithinMs = 180_000;

type Member = { name: string; role: string; state: string; lag?: number | string };

export type PostgresCluster = Awaited<ReturnType<typeof startCluster>>;

/** Three machines with etcd and PostgreSQL under Patroni; one of them is the primary. */
export async function startCluster(
  options: Pick<ClusterSettings, 'folder' | 'programs' | 'account' | 'isSynchronous'>,
) {
  const network: Network = await openNetwork(3);
  const { machines } = network;
  const settings = { ...options, machines, password: randomBytes(16).toString('hex') };
  const { isSynchronous, password } = settings;

  async function membersBy(machine: Machine): Promise<Member[]> {
    const response = await fetch(patroniUrl(machine, '/cluster'), { signal: AbortSignal.timeout(2000) });
    return ((await response.json()) as { members: Member[] }).members;
  }

  /** What the first machine that responds knows; a paused one does not. */
  async function members(): Promise<Member[]> {
    return await Promise.any(machines.map(membersBy)).catch(() => []);
  }

  /** The machine that says of itself that it is the primary, and holds the lock. */
  async function primary(except?: Machine): Promise<Machine | null> {
    const asked = machines.filter((machine) => machine !== except);
    const leads = async (machine: Machine) => {
      const response = await fetch(patroniUrl(machine, '/primary'), { signal: AbortSignal.timeout(2000) });
      if (!response.ok) throw new Error('is not the primary');
      return machine;
    };
    return await Promise.any(asked.map(leads)).catch(() => null);
  }

  async function isHealthy(): Promise<boolean> {
    const known = await members();
    const roles = known.map(({ role }) => role);
    const areRunning = known.every(({ state }) => state === 'running' || state === 'streaming');
    return (
      known.length === machines.length &&
      areRunning &&
      roles.filter((role) => role === 'leader').length === 1 &&
      (!isSynchronous || roles.includes('sync_standby')) &&
      known.every(({ role, lag }) => role === 'leader' || (typeof lag === 'number' && lag < 100_000))
    );
  }

  const found = {
    machines,
    /** Of every server. */
    url: `postgresql://${superuser}:${password}@${machines.map(postgresAddress).join(',')}/postgres`,
    primary,
    async untilHealthy(): Promise<Machine> {
      let last: Member[] = [];
      await until(
        'the cluster has a primary and two standbys',
        async () => {
          last = await members();
          return await isHealthy();
        },
        healthyWithinMs,
      ).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(last)}`);
      });
      const machine = await primary();
      if (!machine) throw new Error('the cluster has no primary');
      return machine;
    },
    /** Starts the programs of a machine that was killed. */
    async restart(machine: Machine): Promise<void> {
      await startEtcd(machine, settings);
      await startPatroni(machine, settings);
    },
    async switchOver(from: Machine): Promise<void> {
      const request = async () => {
        const response = await fetch(patroniUrl(from, '/switchover'), {
          method: 'POST',
          body: JSON.stringify({ leader: from.name }),
          signal: AbortSignal.timeout(60_000),
        });
        const text = await response.text();
        if (!response.ok && response.status !== 412)
          throw new Error(`switchover: ${response.status} ${text}`);
        return response.ok;
      };
      // 412: for the moment there is no synchronous standby.
      await until('the cluster can switch over', request, healthyWithinMs);
    },
    close: () => network.close(),
  };
  try {
    await Promise.all(machines.map((machine) => startEtcd(machine, settings)));
    const [first, ...others] = machines;
    if (first) await startPatroni(first, settings);
    await Promise.all(others.map((machine) => startPatroni(machine, settings)));
    await found.untilHealthy();
    return found;
  } catch (error) {
    await delay(100);
    await network.close();
    throw error;
  }
}
