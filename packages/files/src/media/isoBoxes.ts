import type { FileBytes } from './bytes.ts';

/** `end` is exclusive. */
export type Range = { start: number; end: number };

/** A box of an ISO media file (MP4, AVIF, HEIC), with the range of its content. */
export type Box = Range & { name: string };

export async function* boxesIn(file: FileBytes, start: number, end: number): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end; ) {
    const head = await file.exactly(at, 8);
    const [size, name] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
    const isLong = size === 1;
    const bytes = isLong ? Number((await file.exactly(at + 8, 8)).readBigUInt64BE()) : size || end - at;
    const headBytes = isLong ? 16 : 8;
    if (bytes < headBytes) throw new Error('a box is shorter than its head');
    yield { name, start: at + headBytes, end: Math.min(end, at + bytes) };
    at += bytes;
  }
}

export async function findBox(file: FileBytes, within: Range, name: string): Promise<Box | null> {
  for await (const box of boxesIn(file, within.start, within.end)) if (box.name === name) return box;
  return null;
}

/** The first box at each level. */
export async function findPath(file: FileBytes, within: Range, names: string[]): Promise<Range | null> {
  let found: Range | null = within;
  for (const name of names) found &&= await findBox(file, found, name);
  return found;
}
