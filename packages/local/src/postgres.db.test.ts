import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@holdfast/db/client';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removePostgresData, serverFolder } from './postgres/dataFolder.ts';
import { startPostgres } from './postgres.ts';
import { serverAccount } from './process/account.ts';
import { startTicks } from './process/processes.ts';

/** Where durability is not what is tested: making the data takes half the time. */
const settings = { fsync: 'off' };

let home: string;
let dataDir: string;

beforeEach(() => {
  home = testFolder('postgres');
  dataDir = join(home, 'postgres');
});

afterEach(() => {
  removePostgresData(dataDir);
  rmSync(home, { recursive: true, force: true });
});

async function ask(url: string, sql: string): Promise<unknown[]> {
  const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
  try {
    return (await database.pool.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await database.close();
  }
}

describe('startPostgres', () => {
  it('serves a durable UTF-8 database of version 17 on loopback, and finds its data at the next start', async () => {
    const first = await startPostgres({ dataDir });
    const names = ['server_version', 'listen_addresses', 'fsync', 'synchronous_commit', 'max_connections'];
    const wanted = names.map((name) => `current_setting('${name}') AS ${name}`).join(', ');
    const text = "'a' > 'B' AS compares_bytes, lower('É') AS lower_case";
    const [row] = await ask(first.url, `SELECT ${wanted}, ${text}, current_database() AS name`);
    expect(row).toEqual({
      server_version: expect.stringMatching(/^17\./),
      listen_addresses: '127.0.0.1',
      fsync: 'on',
      synchronous_commit: 'on',
      max_connections: '200',
      compares_bytes: true,
      lower_case: 'é',
      name: 'holdfast',
    });
    await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.stop();
    expect(startTicks(first.pid)).toBeNull();
    const second = await startPostgres({ dataDir, settings });
    expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.stop();
  });

  it.each([
    ['into a file of its own', { logging_collector: 'on' }],
    ['nothing at all', { log_min_messages: 'panic' }],
  ])('recognizes a server as ready that logs %s', async (_what, logging) => {
    const lines: string[] = [];
    const server = await startPostgres({
      dataDir,
      settings: { ...settings, ...logging },
      onLog: (line) => lines.push(line),
    });
    expect(await ask(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(lines.join('\n')).not.toContain('ready to accept connections');
    await server.stop();
  });

  it('refuses connections without the password, which only its owner can read', async () => {
    const server = await startPostgres({ dataDir, settings });
    const withoutPassword = server.url.replace(/:[^:@]*@/, ':wrong@');
    await expect(ask(withoutPassword, 'SELECT 1')).rejects.toThrow(/password/);
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
    await server.stop();
  });

  it('keeps the data in another folder when its account cannot reach the configured one (root below a closed home)', async () => {
    chmodSync(home, 0o700);
    const account = serverAccount();
    const isElsewhere = serverFolder(dataDir, account) !== dataDir;
    expect(isElsewhere).toBe(account !== undefined);
    const server = await startPostgres({ dataDir, settings });
    expect(await ask(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('takes over from a parent that was killed', async () => {
    const script = `const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'postgres.ts'))});
      const { url, pid } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, settings: { fsync: 'off' } });
      console.log(pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    const orphan = Number(pid.toString());
    await expect(startPostgres({ dataDir, settings })).rejects.toThrow(`in use by process ${parent.pid}`);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(startTicks(orphan)).not.toBeNull();
    const server = await startPostgres({ dataDir, settings });
    expect(startTicks(orphan)).toBeNull();
    expect(await ask(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('never ends a process that only has the number in a stale pid file', async () => {
    const server = await startPostgres({ dataDir, settings });
    await server.stop();
    const bystander = spawn('sleep', ['60']);
    writeFileSync(join(dataDir, 'data', 'postmaster.pid'), `${bystander.pid}\n${join(dataDir, 'data')}\n`);
    const again = await startPostgres({ dataDir, settings });
    expect(startTicks(bystander.pid ?? 0)).not.toBeNull();
    bystander.kill();
    await again.stop();
  });

  it('names the port that is in use', async () => {
    const server = await startPostgres({ dataDir, settings });
    const other = startPostgres({ dataDir: join(home, 'other'), port: server.port });
    await expect(other).rejects.toThrow(`Port ${server.port} is in use.`);
    await server.stop();
  });

  it.each([
    ['PG_VERSION', ''],
    ['PG_VERSION', '12\n'],
    ['global/pg_control', 'junk'],
  ])('names the damaged folder (%s)', async (file, content) => {
    const server = await startPostgres({ dataDir, settings });
    await server.stop();
    const data = join(dataDir, 'data');
    expect(readFileSync(join(data, 'PG_VERSION'), 'utf8')).toBe('17\n');
    writeFileSync(join(data, file), content);
    await expect(startPostgres({ dataDir, settings })).rejects.toThrow(data);
  });
});
