import { type Home, removeEphemeralData } from './home.ts';
import type { KeptServer } from './keepServer.ts';
import type { OrphanGuard } from './orphanGuard.ts';
import type { RunningService } from './services.ts';
import { removeState } from './stateFile.ts';

/** The processes of one start, added one by one, so that an early stop ends those that run. */
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
