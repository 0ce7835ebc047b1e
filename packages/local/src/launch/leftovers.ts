import { readFileSync } from 'node:fs';
import { endProcess } from '../process/endProcess.ts';
import { leftoverPids } from './stateFile.ts';

// Another program may have the pid by now: only processes started from this tree are ended.
function isService(pid: number, root: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/services/`);
  } catch {
    return false;
  }
}

/** Ends the services of a killed launcher, because they hold the gateway's port. */
export async function endLeftovers(statePath: string, root: string): Promise<void> {
  const pids = leftoverPids(statePath).filter((pid) => isService(pid, root));
  await Promise.all(
    pids.map((pid) =>
      endProcess(pid, [
        ['SIGTERM', 3_000],
        ['SIGKILL', 3_000],
      ]),
    ),
  );
}
