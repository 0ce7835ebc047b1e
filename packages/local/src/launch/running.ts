import { spawn } from 'node:child_process';
import { type Home, removeEphemeralData } from './home.ts';
import type { KeptServer } from './servers.ts';
import type { RunningService } from './services.ts';
import { removeState } from './stateFile.ts';

/** The processes of one start, added one by one, so that an early stop ends what runs. */
export type Running = {
  home?: Home;
  unlock?: () => void;
  guard?: OrphanGuard;
  postgres?: KeptServer;
  redis?: KeptServer;
  services: RunningService[];
};

export function tellGuard({ guard, services, postgres, redis }: Running): void {
  const pids = services.map(({ pid }) => pid()).filter((pid) => pid !== undefined);
  const servers = [redis, postgres].map((server) => server?.pid() ?? 0).filter((pid) => pid > 0);
  guard?.watch(pids, servers);
}

/** Services first, then Redis and Postgres. Takes at most 15 s; start.ts then kills the rest. */
export async function shutDown(running: Running): Promise<void> {
  const { home, unlock, guard, postgres, redis, services } = running;
  await Promise.all(services.map((service) => service.stop(10_000)));
  await Promise.allSettled([redis?.stop(), postgres?.stop()]);
  if (home && unlock) removeState(home.statePath);
  if (home) removeEphemeralData(home);
  guard?.dismiss();
  unlock?.();
}

export function killAll({ services, postgres, redis }: Running): void {
  const pids = [...services.map(({ pid }) => pid() ?? 0), redis?.pid() ?? 0];
  for (const pid of pids) kill(pid, 'SIGKILL');
  // An immediate shutdown: Postgres ends its own children, and recovers at the next start.
  kill(postgres?.pid() ?? 0, 'SIGQUIT');
}

function kill(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

// Reads lines `services|servers` of pids until the launcher is gone: services end (endWithLauncher.ts), then servers.
const script = `
trap '' INT TERM HUP
services='' servers=''
while IFS='|' read -r a b; do services=$a; servers=$b; done
alive() { for pid in $1; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
wait_for() { n=0; while alive "$1" && [ $n -lt "$2" ]; do sleep 1; n=$((n + 1)); done; }
[ "$services" = done ] && exit 0
wait_for "$services" 12
for pid in $services; do kill -KILL "$pid" 2>/dev/null; done
for pid in $servers; do kill -INT "$pid" 2>/dev/null; done
wait_for "$servers" 10
[ -n "$1" ] && rm -rf -- "$1"
exit 0
`;

type OrphanGuard = {
  watch: (services: number[], servers: number[]) => void;
  dismiss: () => void;
};

/** Starts a small process that outlives a killed launcher and cleans up after it. */
export function startOrphanGuard(folderToRemove?: string): OrphanGuard {
  const child = spawn('/bin/sh', ['-c', script, 'holdfast-guard', folderToRemove ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    watch: (services, servers) => void child.stdin.write(`${services.join(' ')}|${servers.join(' ')}\n`),
    dismiss: () => void child.stdin.end('done|\n'),
  };
}
