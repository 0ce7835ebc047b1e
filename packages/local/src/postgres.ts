import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@holdfast/db/databases';
import { retry } from '@holdfast/kit/retry';
import { postgresBinaries } from './postgres/binaries.ts';
import { endOrphan, postgresEnding } from './postgres/endOrphan.ts';
import { initialise, owner } from './postgres/initialise.ts';
import { serverFolder } from './postgres/serverFolder.ts';
import { serverAccount } from './process/account.ts';
import { claimFolder } from './process/claimFolder.ts';
import { endProcess } from './process/endProcess.ts';
import { freePort, requireFree } from './process/freePort.ts';
import type { RunningServer } from './process/runningServer.ts';
import { startServer } from './process/startServer.ts';

export type PostgresOptions = {
  /** Made when absent. The server's own folder is `data` in it, unless its account can't get there (serverFolder). */
  dataDir: string;
  /** Default: a free one. */
  port?: number;
  /** Settings of postgresql.conf that differ from the durable defaults. */
  settings?: Record<string, string>;
  onLog?: (line: string) => void;
};

const defaults = { max_connections: '200', log_timezone: 'UTC', timezone: 'UTC' };

/**
 * Starts PostgreSQL on loopback; `url` is that of the database `holdfast` as its owner.
 * Rejects with one clear line when the port is taken, the data is damaged or in use, or the server doesn't start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const account = serverAccount(join(options.dataDir, 'data'));
  if (options.port !== undefined) await requireFree(options.port);
  const folder = serverFolder(options.dataDir, account);
  const claim = claimFolder(folder);
  try {
    const isDurable = options.settings?.['fsync'] !== 'off';
    const binaries = postgresBinaries(account);
    const { data, password } = await initialise({ binaries, folder, account, isDurable });
    await endOrphan(data);
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
  // Another process may take a free port between its choice and its use.
  const isTaken = (error: unknown) =>
    error instanceof Error && error.message.includes('could not create any TCP/IP sockets');
  return await retry(start, { delaysMs: wantedPort === undefined ? [0, 0] : [], isRetryable: isTaken });
}

/** As pg_ctl decides it: by the postmaster's own file. Its log may go anywhere (`logging_collector`, `log_destination`). */
function isReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
  } catch {
    return false;
  }
}
