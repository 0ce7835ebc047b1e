import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionSettings } from '@holdfast/db/client';
import { servicePort } from '@holdfast/local/launch/ports';
import { serverAccount } from '@holdfast/local/process/account';
import { findCommand, installPackage } from '@holdfast/local/process/debianPackage';
import { endProcess } from '@holdfast/local/process/processes';
import { startServer } from '@holdfast/local/process/server';
import { rolePasswords } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';

const folders = '/usr/sbin:/usr/bin:/usr/local/bin';

/** The path of PgBouncer; installs Debian's package if possible. Null if it is not available. */
export async function pgbouncerCommand(): Promise<string | null> {
  const present = findCommand('pgbouncer', folders);
  if (present || process.getuid?.() !== 0) return present ?? null;
  await installPackage('pgbouncer').catch(() => {});
  return findCommand('pgbouncer', folders) ?? null;
}

/** PgBouncer in transaction mode in front of the server of `databaseUrl`, as docs/engines.md describes it. */
export async function startPgbouncer(command: string, databaseUrl: string) {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const [folder, port, account] = [testFolder('pgbouncer'), await servicePort(), serverAccount()];
  const users = { ...rolePasswords, [username]: decodeURIComponent(password) };
  const auth = Object.entries(users).map(([user, secret]) => `"${user}" "${secret}"\n`);
  const settings = `[databases]
* = host=${hostname} port=${serverPort} connect_query='${sessionSettings.replaceAll("'", "''")}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`;
  const files = { 'users.txt': auth.join(''), 'pgbouncer.ini': settings };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    if (account) chownSync(join(folder, name), account.uid, account.gid);
  }
  const start = () =>
    startServer({
      name: 'PgBouncer',
      command,
      args: [join(folder, 'pgbouncer.ini')],
      account,
      ready: /process up/,
      timeoutMs: 20_000,
    });
  let child = await start();
  async function stop(): Promise<void> {
    const gone = once(child, 'exit');
    await endProcess(child.pid, [
      ['SIGTERM', 2000],
      ['SIGKILL', 2000],
    ]);
    await gone;
  }
  return {
    /** The URL of another database of the server, through PgBouncer. */
    before: (url: string) => Object.assign(new URL(url), { port: String(port) }).href,
    async restart() {
      await stop();
      child = await start();
    },
    stop,
  };
}
