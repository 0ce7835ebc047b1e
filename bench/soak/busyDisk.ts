import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const tmpfs = 0x01021994;
const block = Buffer.alloc(4 * 1024 * 1024, 7);
const blocks = 16;

/** Whether writing to the folder reaches a disk at all. */
export async function isOnDisk(folder: string): Promise<boolean> {
  return (await statfs(folder)).type !== tmpfs;
}

/** Keeps the disk of the folder busy with writes that are waited for: whoever commits waits behind them. */
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
