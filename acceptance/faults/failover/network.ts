import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Account } from '@holdfast/local/process/account';
import { until } from '@holdfast/testkit/until';

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
  /** Leads new connections to an address elsewhere (both as `10.0.0.1:5432`). */
  redirect(from: string, to: string): Promise<void>;
};

/** `address`: of this machine, as the others see it. */
export type Network = { address: string; machines: Machine[]; close(): Promise<void> };

/** Machines on one switch, which this machine reaches too. Needs root. */
export async function openNetwork(count: number): Promise<Network> {
  const [prefix, subnet] = [`hf${process.pid}`, `10.213.${process.pid % 250}`];
  // In a namespace of its own, because the packet filter of a Docker on this machine would drop what a bridge here forwards.
  const bridge = `${prefix}-0`;
  const address = `${subnet}.1`;
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
    await ip('addr', 'add', `${address}/24`, 'dev', prefix);
    await ip('link', 'set', prefix, 'up');
    for (let nth = 1; nth <= count; nth += 1) {
      const inner = `${prefix}i${nth}`;
      await plugIn(inner);
      machines.push(await openMachine(`${prefix}-${nth}`, `${subnet}.${nth + 10}`, inner));
    }
    return { address, machines, close };
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
      // Repeated, for a process may start another one meanwhile: a backend that was missed keeps PostgreSQL's port and memory.
      await until(`every process of ${name} gets ${signal}`, async () => {
        const left = (await pids()).filter((pid) => !hasEffect(pid, signal));
        for (const pid of left) send(pid, signal);
        return left.length === 0;
      });
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
    async redirect(from, to) {
      const [host, port] = from.split(':');
      await within('nft', 'add table ip redirected');
      await within('nft', 'add chain ip redirected output { type nat hook output priority -100; }');
      await within('nft', `add rule ip redirected output ip daddr ${host} tcp dport ${port} dnat to ${to}`);
    },
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function hasEffect(pid: number, signal: NodeJS.Signals): boolean {
  const state = stateOf(pid);
  if (signal === 'SIGSTOP') return 'TZX'.includes(state);
  return signal === 'SIGCONT' ? state !== 'T' : 'ZX'.includes(state);
}

/** The letter that proc(5) lists; X: it is gone. */
function stateOf(pid: number): string {
  try {
    return /\) (\w) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? 'X';
  } catch {
    return 'X';
  }
}
