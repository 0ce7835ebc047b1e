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

const healthyWithinMs = 240_000;
const lookEveryMs = 200;
/** Longer than a rewind takes. */
const repairAfterMs = 60_000;

type Member = { name: string; role: string; state: string };

/** The names of the standbys that have caught up. */
async function streamingFrom(primary: Machine): Promise<string[]> {
  const response = await fetch(patroniUrl(primary, '/patroni'), { signal: AbortSignal.timeout(2000) });
  const { replication = [] } = (await response.json()) as {
    replication?: { application_name: string; state: string }[];
  };
  return replication.filter(({ state }) => state === 'streaming').map((standby) => standby.application_name);
}

/** As `patronictl reinit`: removes the data of a standby, and copies the primary's. False: it could not be asked for. */
async function reinitialize(machine: Machine): Promise<boolean> {
  const request = {
    method: 'POST',
    body: JSON.stringify({ force: true }),
    signal: AbortSignal.timeout(5000),
  };
  return await fetch(patroniUrl(machine, '/reinitialize'), request).then(
    ({ ok }) => ok,
    () => false,
  );
}

export type PostgresCluster = Awaited<ReturnType<typeof startCluster>>;

/** Three machines with etcd and PostgreSQL under Patroni; one of them is the primary. */
export async function startCluster(
  options: Pick<ClusterSettings, 'folder' | 'programs' | 'account' | 'isSynchronous'>,
) {
  const network: Network = await openNetwork(3);
  const { machines } = network;
  const settings = { ...options, machines, password: randomBytes(16).toString('hex') };
  const { isSynchronous, password } = settings;
  let reinitialized = 0;

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

  const hasSynchronous = async () =>
    !isSynchronous || (await members()).some(({ role }) => role === 'sync_standby');

  /** The machines that do not stream from this primary, as it says itself: Patroni says of a lost standby that it runs. */
  async function missingStandbys(leader: Machine | null): Promise<Machine[]> {
    const streaming = leader ? await streamingFrom(leader).catch(() => []) : [];
    return machines.filter((machine) => machine !== leader && !streaming.includes(machine.name));
  }

  const found = {
    machines,
    /** The address of this machine, as the servers see it. */
    ownAddress: network.address,
    /** The URL names every server. */
    url: `postgresql://${superuser}:${password}@${machines.map(postgresAddress).join(',')}/postgres`,
    primary,
    /** Resolves with the primary when all others stream from it. Reinitializes a standby that does not get there. */
    async untilHealthy(): Promise<Machine> {
      let repairAtMs = performance.now() + repairAfterMs;
      let missing: Machine[] = [...machines];
      const look = async () => {
        const leader = await primary();
        missing = await missingStandbys(leader);
        if (leader && missing.length === 0 && (await hasSynchronous())) return leader;
        if (leader && performance.now() > repairAtMs) {
          repairAtMs = performance.now() + repairAfterMs;
          for (const machine of missing) if (await reinitialize(machine)) reinitialized += 1;
        }
        await delay(lookEveryMs);
        return null;
      };
      return await until('the cluster has a primary and two standbys', look, healthyWithinMs).catch(
        async (error: Error) => {
          const names = missing.map(({ name }) => name).join(', ');
          throw new Error(`${error.message}; missing: ${names}: ${JSON.stringify(await members())}`);
        },
      );
    },
    /** How many standbys had to be copied anew. */
    reinitialized: () => reinitialized,
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
