import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@holdfast/db/databases';
import { retry } from '@holdfast/kit/retry';
import { postgresBinaries } from './postgres/binaries.ts';
import { initialise, owner, serverFolder } from './postgres/dataFolder.ts';
import { serverAccount } from './process/account.ts';
import { claimFolder, type Ending, endOrphan, endProcess } from './process/processes.ts';
import { freePort, type RunningServer, requireFree, startServer } from './process/server.ts';

type PostgresOptions = {
  /** Created when missing. Holds the server's folder `data`, unless its account can't reach it (serverFolder). */
  dataDir: string;
  port?: number;
  settings?: Record<string, string>;
  onLog?: (line: string) => void;
};

const defaults = {
  max_connections: '200',
  log_timezone: 'UTC',
  timezone: 'UTC',
  // Whole pages in the log take two fifths. It was built without lz4.
  wal_compression: 'pglz',
};

/** Listens on loopback; `url` is the owner's. @throws one clear line when the server can't start */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const account = serverAccount(join(options.dataDir, 'data'));
  if (options.port !== undefined) await requireFree(options.port);
  const folder = serverFolder(options.dataDir, account);
  const claim = claimFolder(folder);
  try {
    const isDurable = options.settings?.['fsync'] !== 'off';
    const binaries = postgresBinaries(account);
    const { data, password } = await initialise({ binaries, folder, account, isDurable });
    await endPostgresOrphan(data);
    const { child, port } = await launch(options, join(binaries, 'bin', 'postgres'), data, account);
    const exited = once(child, 'exit').then(() => claim.release());
    const stop = async () => {
      await endProcess(child.pid, postgresEnding);
      await exited;
    };
    const server = `postgresql://${owner}:${password}@127.0.0.1:${port}/postgres`;
    const url = await createDatabase(server, owner, { ifMissing: true }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { url, port, pid: child.pid, exited, stop };
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function launch(
  { port: wantedPort, settings, onLog }: PostgresOptions,
  command: string,
  data: string,
  account: ReturnType<typeof serverAccount>,
) {
  const start = async () => {
    const port = wantedPort ?? (await freePort());
    const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
    const args = Object.entries({ ...defaults, ...settings, ...fixed }).flatMap(([k, v]) => [
      '-c',
      `${k}=${v}`,
    ]);
    const child = await startServer({
      name: `PostgreSQL on ${data}`,
      command,
      args: ['-D', data, ...args],
      account,
      ready: (pid) => isReady(data, pid),
      timeoutMs: 120_000,
      onLog,
    });
    return { child, port };
  };
  // Another process may take a free port before we use it.
  const isTaken = (error: unknown) =>
    error instanceof Error && error.message.includes('could not create any TCP/IP sockets');
  return await retry(start, { delaysMs: wantedPort === undefined ? [0, 0] : [], isRetryable: isTaken });
}

/** By the postmaster's file, as pg_ctl does: settings may send its log anywhere. */
function isReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
  } catch {
    return false;
  }
}

/** Fast shutdown, then immediate shutdown (recovery at the next start), then the kernel's. */
const postgresEnding: Ending = [
  ['SIGINT', 8_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 2_000],
];

/** Ends a killed parent's postmaster. */
export async function endPostgresOrphan(data: string): Promise<void> {
  await endOrphan(join(data, 'postmaster.pid'), data, postgresEnding);
}
