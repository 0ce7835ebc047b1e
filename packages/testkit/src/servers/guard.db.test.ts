import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { startTicks } from '@holdfast/local/process/processes';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sweepAbandoned } from './testServers.ts';

let home: string;
let started: ChildProcess[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'guard-'));
  chmodSync(home, 0o755);
  started = [];
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await until(() => readdirSync(home).length === 0);
  rmSync(home, { recursive: true, force: true });
});

const config = JSON.stringify(join(import.meta.dirname, '../config.ts'));
const guard = JSON.stringify(join(import.meta.dirname, 'guard.ts'));
const script = `const { guardTestServers } = await import(${guard});
  const { servers } = await guardTestServers();
  const { publishTestServers } = await import(${config});
  publishTestServers(servers);
  const { spawn } = await import('node:child_process');
  console.log(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid); setInterval(() => {}, 1000);`;

/** A process that stands for Jest, with a worker and with test servers of its own in a folder below `home`. */
async function startUser(): Promise<ChildProcess & { worker: number }> {
  const env = { PATH: process.env['PATH'], TMPDIR: home };
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [worker] = (await once(lines, 'line')) as [string];
  return Object.assign(child, { worker: Number(worker) });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}

/** The guardian, the postmaster and the Redis of each run in `home`. */
function pids(): number[] {
  return readdirSync(home).flatMap((run) =>
    ['owner', 'postgres/data/postmaster.pid', 'redis/redis.pid'].map((file) =>
      Number.parseInt(readFileSync(join(home, run, file), 'utf8'), 10),
    ),
  );
}

const alive = (processes: number[]) => processes.filter((pid) => startTicks(pid) !== null);

describe('the test servers', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)(
    'are gone, with their data and Jest’s workers, when Jest ends by %s',
    async (signal) => {
      const user = await startUser();
      const servers = pids();
      expect(alive(servers)).toHaveLength(3);
      user.kill(signal);
      await until(() => readdirSync(home).length === 0);
      await until(() => alive(servers).length === 0);
    },
  );

  it('of one run keep running when another run ends', async () => {
    const one = await startUser();
    await startUser();
    expect(alive(pids())).toHaveLength(6);
    one.kill('SIGKILL');
    await until(() => readdirSync(home).length === 1);
    await sweepAbandoned(home, Date.now() + 3_600_000);
    expect(alive(pids())).toHaveLength(3);
  });

  it('of a run whose guardian was killed as well are removed by the next run', async () => {
    const user = await startUser();
    const servers = pids();
    const [guardian] = servers;
    process.kill(guardian ?? 0, 'SIGKILL');
    await until(() => startTicks(guardian ?? 0) === null);
    user.kill('SIGKILL');
    for (const run of readdirSync(home)) utimesSync(join(home, run), 0, 0);
    expect(alive(servers)).toHaveLength(2);
    await sweepAbandoned(home);
    expect(alive(servers)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });
});
