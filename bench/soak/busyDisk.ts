import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const tmpfs = 0x01021994;
const block = Buffer.alloc(4 * 1024 * 1024, 7);
const blocks = 16;

/** False for a memory file system. */
export async function isOnDisk(folder: string): Promise<boolean> {
  return (await statfs(folder)).type !== tmpfs;
}

/** Commits wait behind these synchronous writes. */
export async function keepDiskBusy(folder: string, lastsMs: number): Promise<void> {
  const path = join(folder, 'busy');
  const file = await open(path, 'w');
  try {
    await writeUntil(file, performance.now() + lastsMs);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function writeUntil(file: FileHandle, endMs: number): Promise<void> {
  for (let nth = 0; performance.now() < endMs; nth++) {
    await file.write(block, 0, block.length, (nth % blocks) * block.length);
    await file.sync();
  }
}
