import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '@holdfast/local/process/account';

/** A file system that is soon full. */
export type SmallDisk = {
  path: string;
  /** Takes all the space, but for so many bytes. */
  fill(leftBytes?: number): void;
  /** Gives it back. */
  empty(): void;
  unmount(): void;
};

/** Whether this machine lets us mount one: only root may, and not in every container. */
export const canMountSmallDisk = mayMount();

/** @throws where `canMountSmallDisk` is false */
export function mountSmallDisk(sizeBytes: number, owner: Account = { uid: 0, gid: 0 }): SmallDisk {
  // Not in the folder of the test run: what is mounted there could not be removed with it.
  const path = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
  const options = `size=${sizeBytes},mode=0700,uid=${owner.uid},gid=${owner.gid}`;
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmdirSync(path);
    throw new Error(`no file system could be mounted: ${stderr}`);
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill(leftBytes = 0) {
      fill(filler);
      truncateSync(filler, Math.max(0, statSync(filler).size - leftBytes));
    },
    empty: () => rmSync(filler, { force: true }),
    unmount() {
      spawnSync('umount', ['--lazy', path]);
      rmdirSync(path);
    },
  };
}

function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    mountSmallDisk(4096).unmount();
    return true;
  } catch {
    return false;
  }
}

/** In ever smaller pieces, to the last page. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) while (hasRoom(file, bytes));
  } finally {
    closeSync(file);
  }
}

function hasRoom(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
