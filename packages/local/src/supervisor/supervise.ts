import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { lastErrors, logSize } from './logFile.ts';

export type ServiceSpec = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Each process waits for it (awaitServers.ts); until then it need not be healthy. */
  servers?: Promise<void>;
  readyUrl: string;
  healthUrl: string;
  logPath: string;
};

export type Timing = {
  probeUnhealthyEveryMs: number;
  probeHealthyEveryMs: number;
  probeTimeoutMs: number;
  /** The time to the first healthy response. */
  firstHealthyWithinMs: number;
  /** A process that is unhealthy for this long is ended. */
  unhealthyAfterMs: number;
  backoffMs: number;
  backoffMaxMs: number;
  /** After this the backoff starts anew. */
  steadyAfterMs: number;
};

export const defaultTiming: Timing = {
  probeUnhealthyEveryMs: 2_000,
  probeHealthyEveryMs: 10_000,
  probeTimeoutMs: 5_000,
  firstHealthyWithinMs: 60_000,
  unhealthyAfterMs: 30_000,
  backoffMs: 200,
  backoffMaxMs: 10_000,
  steadyAfterMs: 30_000,
};

export type Watcher = {
  say: (line: string) => void;
  onPid: () => void;
};

export type Supervised = {
  name: string;
  pid: () => number | undefined;
  deaths: () => number;
  isReady: () => Promise<boolean>;
  /** SIGTERM, then SIGKILL after `graceMs`. */
  stop: (graceMs: number) => Promise<void>;
};

/** Restarts the process when it dies or is unhealthy for too long, until stopped. */
export function supervise(spec: ServiceSpec, watcher: Watcher, timing: Timing = defaultTiming): Supervised {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let deaths = 0;

  const live = async () => {
    let backoffMs = timing.backoffMs;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const bornAt = logSize(spec.logPath);
      child = start(spec);
      watcher.onPid();
      const reason = await endOf(child, spec, watcher, timing);
      if (stopping.signal.aborted) return;
      deaths += 1;
      for (const line of lastErrors(spec.logPath, bornAt)) watcher.say(`${spec.name}: ${line}`);
      if (performance.now() - startedAt > timing.steadyAfterMs) backoffMs = timing.backoffMs;
      watcher.say(`${spec.name} ended (${reason}); restarting it in ${backoffMs} ms. Log: ${spec.logPath}`);
      await delay(backoffMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, timing.backoffMaxMs);
    }
  };
  const living = live();

  return {
    name: spec.name,
    pid: () => child?.pid,
    deaths: () => deaths,
    isReady: () => probe(spec.readyUrl, timing.probeTimeoutMs),
    stop: async (graceMs) => {
      stopping.abort();
      if (child) await endWithin(child, graceMs);
      await living;
    },
  };
}

function start(spec: ServiceSpec): ChildProcess {
  const log = openSync(spec.logPath, 'a', 0o600);
  try {
    // Its own group: Ctrl-C reaches the launcher alone, which stops things in order. endWithLauncher.ts watches the channel.
    const child = spawn(spec.command, spec.args, {
      env: spec.env,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
    // A process that has ended is reported by its exit.
    void spec.servers?.then(() => child.connected && child.send('running', () => undefined));
    return child;
  } finally {
    closeSync(log);
  }
}

function endOf(child: ChildProcess, spec: ServiceSpec, watcher: Watcher, timing: Timing): Promise<string> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = (reason: string) => {
      ended.abort();
      resolve(reason);
    };
    child.once('error', (error) => child.pid === undefined && end(error.message));
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    void killWhenUnhealthy(child, spec, watcher, timing, ended.signal);
  });
}

async function killWhenUnhealthy(
  child: ChildProcess,
  spec: ServiceSpec,
  watcher: Watcher,
  timing: Timing,
  ended: AbortSignal,
): Promise<void> {
  await spec.servers;
  let silentMs = 0;
  let allowedMs = timing.firstHealthyWithinMs;
  let pauseMs = timing.probeUnhealthyEveryMs;
  while (!ended.aborted) {
    const startedAt = performance.now();
    await delay(pauseMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
    const isHealthy = await probe(spec.healthUrl, timing.probeTimeoutMs);
    pauseMs = isHealthy ? timing.probeHealthyEveryMs : timing.probeUnhealthyEveryMs;
    if (isHealthy) {
      silentMs = 0;
      allowedMs = timing.unhealthyAfterMs;
      continue;
    }
    // At most a short pause and a probe: before that it may have been healthy, or the launcher itself stood still.
    silentMs += Math.min(performance.now() - startedAt, timing.probeUnhealthyEveryMs + timing.probeTimeoutMs);
    if (ended.aborted || silentMs < allowedMs) continue;
    watcher.say(`${spec.name} has not been healthy for ${Math.round(silentMs / 1000)} s; ending it.`);
    killGroup(child);
    return;
  }
}

/** Whether the URL returns 2xx within `timeoutMs`. Never throws. */
export function probe(url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      resolve(status >= 200 && status < 300);
    });
    // The `timeout` option covers silence only; a slow body must not hold a probe.
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    request.on('error', () => resolve(false));
    request.on('close', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

function endWithin(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => killGroup(child), graceMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
