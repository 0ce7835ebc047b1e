import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { servicePort } from '../launch/ports.ts';
import { startTicks } from '../process/processes.ts';
import { defaultTiming, type Supervised, supervise, type Timing } from './supervise.ts';

const fake = join(import.meta.dirname, 'fakeService.ts');
const preload = join(import.meta.dirname, 'endWithLauncher.ts');
const serversPreload = join(import.meta.dirname, 'awaitServers.ts');
const quick = {
  ...defaultTiming,
  probeUnhealthyEveryMs: 20,
  probeHealthyEveryMs: 50,
  probeTimeoutMs: 1000,
  backoffMs: 10,
};

let folder: string;
let supervised: Supervised | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-supervise-'));
});

afterEach(async () => {
  await supervised?.stop(0);
  rmSync(folder, { recursive: true });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

async function startFake(env: NodeJS.ProcessEnv = {}, timing: Timing = quick, servers?: Promise<void>) {
  const port = await servicePort();
  const said: string[] = [];
  const pids: number[] = [];
  const started: Supervised = supervise(
    {
      name: 'fake',
      command: process.execPath,
      args: ['--import', preload, ...(servers ? ['--import', serversPreload] : []), fake],
      env: { ...process.env, METRICS_PORT: String(port), ...env },
      ...(servers && { servers }),
      readyUrl: `http://127.0.0.1:${port}/readyz`,
      healthUrl: `http://127.0.0.1:${port}/healthz`,
      logPath: join(folder, 'fake.log'),
    },
    { say: (line) => said.push(line), onPid: () => pids.push(pids.length) },
    timing,
  );
  supervised = started;
  return { service: started, port, said, pids };
}

describe('a supervised service', () => {
  it('is restarted under another pid when it is killed, and a line reports it', async () => {
    const { service, said, pids } = await startFake();
    await until(service.isReady);
    const first = service.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    await until(() => service.pid() !== first);
    await until(service.isReady);
    expect(service.deaths()).toBe(1);
    expect(pids).toHaveLength(2);
    expect(said).toEqual([expect.stringMatching(/^fake ended \(SIGKILL\); restarting it in 10 ms/)]);
  });

  it('is killed and restarted when it stays unhealthy for too long', async () => {
    const { service, port, said } = await startFake(
      {},
      { ...quick, unhealthyAfterMs: 300, firstHealthyWithinMs: 5_000 },
    );
    await until(service.isReady);
    const first = service.pid();
    await fetch(`http://127.0.0.1:${port}/sicken`);
    await until(() => service.pid() !== first);
    await until(service.isReady);
    expect(said[0]).toMatch(/^fake has not been healthy/);
  });

  it('is not killed for a time in which the launcher itself stood still', async () => {
    // It listens at another port, and so is never healthy.
    const env = { METRICS_PORT: '0' };
    const timing = { ...quick, probeTimeoutMs: 100, firstHealthyWithinMs: 1_000 };
    const { service, said } = await startFake(env, timing);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await until(() => service.deaths() > 0);
    expect(said[0]).toMatch(/^fake has not been healthy for 1 s;/);
  });

  it('ends at SIGTERM when it is stopped, and is not restarted', async () => {
    const { service, pids, said } = await startFake();
    await until(service.isReady);
    const pid = service.pid() ?? 0;
    await service.stop(5_000);
    expect(startTicks(pid)).toBeNull();
    expect(pids).toHaveLength(1);
    expect(said).toEqual([]);
  });

  it('is killed when it does not stop within its grace period', async () => {
    const { service } = await startFake({ FAKE_STUBBORN: 'yes' });
    await until(service.isReady);
    const pid = service.pid() ?? 0;
    await service.stop(4000);
    expect(startTicks(pid)).toBeNull();
    expect(readFileSync(join(folder, 'fake.log'), 'utf8')).toContain('SIGTERM is ignored');
  });

  it('is restarted at growing intervals when it cannot start, and the reason is printed', async () => {
    const { service, said } = await startFake({ FAKE_BROKEN: 'yes' });
    await until(() => service.deaths() >= 3);
    expect(said.filter((line) => line === 'fake: PORT: expected a number')).toHaveLength(service.deaths());
    expect(said.join('\n')).toContain('restarting it in 20 ms');
    expect(readFileSync(join(folder, 'fake.log'), 'utf8')).toContain('PORT: expected a number');
  });

  it('serves when the servers run, also after a restart', async () => {
    const servers = Promise.withResolvers<void>();
    const { service } = await startFake({}, quick, servers.promise);
    expect(await service.isReady()).toBe(false);
    servers.resolve();
    await until(service.isReady);
    const first = service.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    await until(() => service.pid() !== first);
    await until(service.isReady);
    expect(service.deaths()).toBe(1);
  });

  it('ends by itself when its launcher is killed', async () => {
    const port = await servicePort();
    const parent = `
      const { spawn } = require('node:child_process');
      const args = ['--import', ${JSON.stringify(preload)}, ${JSON.stringify(fake)}];
      spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });`;
    const env = { ...process.env, METRICS_PORT: String(port) };
    const launcher = spawn(process.execPath, ['-e', parent], { env, stdio: 'ignore' });
    const ask = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await until(async () => (await ask()) !== undefined);
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    const { pid } = (await response.json()) as { pid: number };
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    await until(() => startTicks(pid) === null);
    expect(await ask()).toBeUndefined();
  });
});
