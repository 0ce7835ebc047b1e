import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionSettings } from '@holdfast/db/client';
import type { Account } from '@holdfast/local/process/account';
import { endProcess } from '@holdfast/local/process/processes';
import { freePort, startServer } from '@holdfast/local/process/server';
import type { PostgresCluster } from './cluster.ts';
import { patroniPort, postgresAddress } from './node.ts';

/** PgBouncer in transaction mode before an HAProxy that leads to the primary, as docs/operate/high-availability.md shows. */
export async function startProxies(cluster: PostgresCluster, at: { folder: string; account: Account }) {
  const [haproxyPort, bouncerPort] = [await freePort(), await freePort()];
  const { username, password } = new URL(cluster.url.replace(/@[^/]+/, '@server'));
  const write = (name: string, text: string) => {
    const path = join(at.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    chownSync(path, at.account.uid, at.account.gid);
    return path;
  };
  const users = write('users.txt', `"${username}" "${password}"\n`);
  const started = [
    await startServer({
      name: 'HAProxy',
      command: '/usr/sbin/haproxy',
      args: ['-db', '-f', write('haproxy.cfg', haproxyConfig(cluster, haproxyPort))],
      account: at.account,
      // It says nothing at its start; the standbys fail their first checks.
      ready: /is DOWN/,
      timeoutMs: 20_000,
    }),
    await startServer({
      name: 'PgBouncer',
      command: '/usr/sbin/pgbouncer',
      args: [write('pgbouncer.ini', bouncerConfig({ port: bouncerPort, haproxyPort, users }))],
      account: at.account,
      ready: /process up/,
      timeoutMs: 20_000,
    }),
  ];
  return {
    url: `postgresql://${username}:${password}@127.0.0.1:${bouncerPort}/postgres`,
    async close(): Promise<void> {
      for (const child of started) {
        const gone = once(child, 'exit');
        await endProcess(child.pid, [
          ['SIGTERM', 3000],
          ['SIGKILL', 2000],
        ]);
        await gone;
      }
    },
  };
}

// Patroni responds with 200 on the primary only. Sessions to a server that is no longer the primary are cut.
const haproxyConfig = ({ machines }: PostgresCluster, port: number) => `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${machines.map((machine) => `  server ${machine.name} ${postgresAddress(machine)} check port ${patroniPort}`).join('\n')}
`;

const bouncerConfig = ({
  port,
  haproxyPort,
  users,
}: Record<'port' | 'haproxyPort', number> & { users: string }) => `[databases]
* = host=127.0.0.1 port=${haproxyPort} connect_query='${sessionSettings.replaceAll("'", "''")}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 40
max_client_conn = 400
server_connect_timeout = 3
server_login_retry = 1
query_wait_timeout = 10
`;
