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

export type SmallDisk = {
  path: string;
  /** Leaves `leftBytes` free. */
  fill(leftBytes?: number): void;
  empty(): void;
  unmount(): void;
};

/** Only root may mount, and not in every container. */
export const canMountSmallDisk = mayMount();

export function mountSmallDisk(sizeBytes: number, owner: Account = { uid: 0, gid: 0 }): SmallDisk {
  // Outside the run's folder: a mount there would block its removal.
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

/** In ever smaller pieces, down to the last page. */
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
