import { existsSync, globSync } from 'node:fs';
import { findCommand, installPackage } from '@holdfast/local/process/debianPackage';

const folders = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Each command and Debian's package of it. */
const needed = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  nft: 'nftables',
  setpriv: 'util-linux',
  ip: 'iproute2',
} as const;

export class MissingError extends Error {}

/** Returns the folder of PostgreSQL's programs. Installs what is missing. @throws MissingError where that is not possible */
export async function installPackages(say: (line: string) => void): Promise<string> {
  if (process.getuid?.() !== 0) {
    throw new MissingError('This needs root: network namespaces, packet filters and Debian packages.');
  }
  for (const [command, name] of Object.entries(needed)) {
    if (findCommand(command, folders)) continue;
    say(`installing ${name}`);
    await install(name);
  }
  // Patroni's module for etcd, version 2.
  if (!existsSync('/usr/lib/python3/dist-packages/etcd')) await install('python3-etcd');
  if (!postgresPrograms()) await install('postgresql');
  const programs = postgresPrograms();
  if (!programs) throw new MissingError('PostgreSQL of Debian is missing, and could not be installed.');
  return programs;
}

async function install(name: string): Promise<void> {
  await installPackage(name).catch((error: Error) => {
    throw new MissingError(
      `Debian's package ${name} is missing, and could not be installed: ${error.message}`,
    );
  });
}

const postgresPrograms = () =>
  globSync('/usr/lib/postgresql/*/bin')
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
