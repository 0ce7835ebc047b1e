import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

type Load = { databaseUrl: string; connections: number; seconds: number; statement: string };

/** Prepared, in autocommit; null where pgbench is not installed. */
export async function pgbenchTps({
  databaseUrl,
  connections,
  seconds,
  statement,
}: Load): Promise<number | null> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const args = [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${connections}`,
    '--jobs=1',
    `--time=${seconds}`,
  ];
  const child = spawn('pgbench', [...args, '--file=-', pathname.slice(1)], {
    env: { ...childEnvironment, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
  });
  child.stdin.on('error', () => undefined).end(`${statement};\n`);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    await once(child, 'spawn');
  } catch {
    return null;
  }
  const [said, complained] = await output;
  const tps = /^tps = ([\d.]+)/m.exec(said)?.[1];
  if (tps === undefined) throw new Error(`pgbench failed: ${complained.trim()}`);
  return Number(tps);
}

const childEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
