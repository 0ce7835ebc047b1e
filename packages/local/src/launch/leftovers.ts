import { readFileSync } from 'node:fs';
import { endProcess } from '../process/endProcess.ts';
import { leftoverPids } from './stateFile.ts';

// A pid may belong to somebody else by now: only what was started from this tree is ended.
function isService(pid: number, root: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/services/`);
  } catch {
    return false;
  }
}

/** Ends the services that a killed launcher left behind, for they hold the gateway's port. */
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
