import { chownSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '@holdfast/local/process/account';
import { startServer } from '@holdfast/local/process/server';
import type { Machine } from './network.ts';

/** How Patroni is configured; docs/operate/high-availability.md names these values. */
export const patroniTimes = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 8,
  // A cut-off primary must have stopped before Patroni looks again: it would stop and start it twice at once, and end with
  // two servers in one folder (github.com/patroni/patroni/issues/3649).
  primary_stop_timeout: 3,
};

const postgresParameters = {
  max_connections: 200,
  wal_log_hints: 'on',
  // Or the shutdown of a cut-off primary waits a minute for its standbys.
  wal_sender_timeout: '6s',
  // Or a promotion may wait five seconds for a standby that looks for its log no more often.
  wal_retrieve_retry_interval: '500ms',
  // A standby without a slot catches up with this. Not more, because pg_rewind copies all of it.
  wal_keep_size: '128MB',
  min_wal_size: '64MB',
  max_wal_size: '128MB',
  wal_compression: 'lz4',
};

export const superuser = 'postgres';
const ports = { postgres: 5432, patroni: 8008, etcd: 2379, etcdPeer: 2380 };

export const patroniPort = ports.patroni;
export const patroniUrl = ({ address }: Machine, path: string) => `http://${address}:${ports.patroni}${path}`;
export const postgresAddress = ({ address }: Machine) => `${address}:${ports.postgres}`;

export type ClusterSettings = {
  folder: string;
  programs: string;
  password: string;
  isSynchronous: boolean;
  machines: readonly Machine[];
  /** PostgreSQL refuses to run as root. */
  account: Account;
};

/** Starts etcd on a machine, for the first time or again. */
export async function startEtcd(machine: Machine, settings: ClusterSettings): Promise<void> {
  const { machines, account } = settings;
  const at = (port: number, { address }: Machine = machine) => `http://${address}:${port}`;
  const flags = {
    name: machine.name,
    'data-dir': ownFolder(settings, machine, 'etcd'),
    'listen-peer-urls': at(ports.etcdPeer),
    'initial-advertise-peer-urls': at(ports.etcdPeer),
    'listen-client-urls': at(ports.etcd),
    'advertise-client-urls': at(ports.etcd),
    'initial-cluster': machines.map((one) => `${one.name}=${at(ports.etcdPeer, one)}`).join(','),
    'heartbeat-interval': '200',
    'election-timeout': '2000',
    'enable-v2': 'true',
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  await startServer({
    name: `etcd on ${machine.name}`,
    ...machine.inside(account, 'etcd', args),
    onLog: keepLog(settings, machine, 'etcd'),
    ready: /ready to serve client requests|serving insecure client requests/,
    timeoutMs: 60_000,
  });
}

/** Starts Patroni on a machine; it starts PostgreSQL there, as the primary or a standby. */
export async function startPatroni(machine: Machine, settings: ClusterSettings): Promise<void> {
  const { account } = settings;
  const home = ownFolder(settings, machine, 'patroni');
  const file = join(home, 'patroni.yml');
  // YAML includes JSON.
  writeFileSync(file, JSON.stringify(patroniConfig(machine, settings, home), null, 2), { mode: 0o600 });
  chownSync(file, account.uid, account.gid);
  await startServer({
    name: `Patroni on ${machine.name}`,
    ...machine.inside(account, 'patroni', [file]),
    onLog: keepLog(settings, machine, 'patroni'),
    // What becomes of its PostgreSQL, the primary says.
    ready: / INFO: /,
    timeoutMs: 60_000,
  });
}

/** The log has PostgreSQL's lines too, which Patroni runs. */
function keepLog({ folder }: ClusterSettings, { name }: Machine, what: string): (line: string) => void {
  const file = createWriteStream(join(folder, `${name}-${what}.log`), { flags: 'a' });
  return (line) => void file.write(`${line}\n`);
}

function ownFolder({ folder, account }: ClusterSettings, { name }: Machine, what: string): string {
  const parent = join(folder, name);
  const path = join(parent, what);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const one of [parent, path]) chownSync(one, account.uid, account.gid);
  return path;
}

function patroniConfig(machine: Machine, settings: ClusterSettings, home: string) {
  const { programs, password, isSynchronous, machines } = settings;
  const { address, name } = machine;
  const login = { username: superuser, password };
  return {
    scope: 'holdfast',
    name,
    restapi: { listen: `${address}:${ports.patroni}`, connect_address: `${address}:${ports.patroni}` },
    // By version 2, which compares before it sets. By version 3, Patroni before 3.0.3 overwrites the lock of another primary
    // after a pause (github.com/patroni/patroni/pull/2689), and what was acknowledged meanwhile is lost.
    etcd: { hosts: machines.map((one) => `${one.address}:${ports.etcd}`) },
    bootstrap: {
      dcs: {
        ...patroniTimes,
        synchronous_mode: isSynchronous,
        // Without a synchronous standby, commits wait: what was acknowledged is never on one machine only.
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: postgresParameters },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:${ports.postgres}`,
      connect_address: `${address}:${ports.postgres}`,
      data_dir: join(home, 'data'),
      bin_dir: programs,
      pgpass: join(home, 'pgpass'),
      // Without it, a copy waits for the next checkpoint, minutes away.
      basebackup: [{ checkpoint: 'fast' }],
      authentication: { superuser: login, replication: { username: 'replicator', password }, rewind: login },
      parameters: { unix_socket_directories: home, timezone: 'UTC', log_timezone: 'UTC' },
      pg_hba: [
        'local all all trust',
        'host all all all scram-sha-256',
        'host replication all all scram-sha-256',
      ],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  };
}
