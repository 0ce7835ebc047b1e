import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from '@holdfast/local/process/account';

const run = promisify(execFile);
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

async function ip(...args: string[]): Promise<string> {
  return (await run('ip', args, { env: { PATH } })).stdout;
}

/** A machine of the cluster: a network namespace with an address of its own. */
export type Machine = {
  name: string;
  address: string;
  /** The command and arguments that run a command inside, as that account. */
  inside(account: Account, command: string, args: string[]): { command: string; args: string[] };
  /** Every process inside. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Drops all packets from and to these addresses, in silence. */
  cutOff(addresses: string[]): Promise<void>;
  reconnect(): Promise<void>;
  /** Delays every packet that leaves, from now on. */
  delayPackets(delayMs: number): Promise<void>;
};

export type Network = { machines: Machine[]; close(): Promise<void> };

/** Machines on one switch, which this machine reaches too. Needs root. */
export async function openNetwork(count: number): Promise<Network> {
  const [prefix, subnet] = [`hf${process.pid}`, `10.213.${process.pid % 250}`];
  // In a namespace of its own, because the packet filter of a Docker on this machine would drop what a bridge here forwards.
  const bridge = `${prefix}-0`;
  const machines: Machine[] = [];
  async function close(): Promise<void> {
    for (const machine of machines) {
      await machine.signal('SIGKILL');
      await ip('netns', 'del', machine.name);
    }
    await ip('netns', 'del', bridge);
  }
  await ip('netns', 'add', bridge);
  try {
    await ip('-n', bridge, 'link', 'add', 'bridge', 'type', 'bridge');
    await ip('-n', bridge, 'link', 'set', 'bridge', 'up');
    const plugIn = async (inner: string) => {
      const outer = `${inner}o`;
      await ip('link', 'add', inner, 'type', 'veth', 'peer', 'name', outer, 'netns', bridge);
      await ip('-n', bridge, 'link', 'set', outer, 'master', 'bridge', 'up');
    };
    await plugIn(prefix);
    await ip('addr', 'add', `${subnet}.1/24`, 'dev', prefix);
    await ip('link', 'set', prefix, 'up');
    for (let nth = 1; nth <= count; nth += 1) {
      const inner = `${prefix}i${nth}`;
      await plugIn(inner);
      machines.push(await openMachine(`${prefix}-${nth}`, `${subnet}.${nth + 10}`, inner));
    }
    return { machines, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openMachine(name: string, address: string, inner: string): Promise<Machine> {
  const within = (command: string, ...args: string[]) => ip('netns', 'exec', name, command, ...args);
  await ip('netns', 'add', name);
  await ip('link', 'set', inner, 'netns', name);
  await ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', inner);
  await ip('-n', name, 'link', 'set', inner, 'up');
  await ip('-n', name, 'link', 'set', 'lo', 'up');

  const pids = async () => (await ip('netns', 'pids', name)).split('\n').filter(Boolean).map(Number);
  return {
    name,
    address,
    inside: ({ uid, gid }, command, args) => ({
      command: '/sbin/ip',
      args: `netns exec ${name} setpriv --reuid=${uid} --regid=${gid} --clear-groups ${command}`
        .split(' ')
        .concat(args),
    }),
    async signal(signal) {
      // Twice, for a process may have started another one in between.
      for (const pid of [...(await pids()), ...(await pids())]) {
        try {
          process.kill(pid, signal);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
    },
    async cutOff(addresses) {
      const peers = `{ ${addresses.join(', ')} }`;
      await within('nft', 'add table ip cut');
      for (const [hook, side] of [
        ['input', 'saddr'],
        ['output', 'daddr'],
      ] as const) {
        await within('nft', `add chain ip cut ${hook} { type filter hook ${hook} priority 0; }`);
        await within('nft', `add rule ip cut ${hook} ip ${side} ${peers} drop`);
      }
    },
    async reconnect() {
      await within('nft', 'delete table ip cut');
    },
    async delayPackets(delayMs) {
      await within('tc', 'qdisc', 'replace', 'dev', inner, 'root', 'netem', 'delay', `${delayMs}ms`);
    },
  };
}
