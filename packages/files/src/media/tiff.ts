import type { FileBytes } from './bytes.ts';
import { type Measures, pixels } from './measures.ts';

/** EXIF is a TIFF, so both have these tags. */
const tags = { width: 256, height: 257, orientation: 274 };
/** SHORT, LONG and LONG8; the others hold no number of pixels. */
const readers: Record<number, (bytes: Buffer, isLittle: boolean) => number> = {
  3: (bytes, isLittle) => (isLittle ? bytes.readUInt16LE() : bytes.readUInt16BE()),
  4: uint32,
  16: uint64,
};

function uint32(bytes: Buffer, isLittle: boolean): number {
  return isLittle ? bytes.readUInt32LE() : bytes.readUInt32BE();
}

function uint64(bytes: Buffer, isLittle: boolean): number {
  return Number(isLittle ? bytes.readBigUInt64LE() : bytes.readBigUInt64BE());
}

const maxEntries = 512;

/** The first directory's numbers by tag. `start`: where the TIFF begins in its file. */
async function firstDirectory(file: FileBytes, start: number): Promise<Map<number, number>> {
  const head = await file.exactly(start, 8);
  const isLittle = head[0] === 0x49;
  const isBig = (isLittle ? head[2] : head[3]) === 43;
  const offset = isBig
    ? uint64(await file.exactly(start + 8, 8), isLittle)
    : uint32(head.subarray(4), isLittle);
  const [countBytes, entryBytes, valueAt] = isBig ? [8, 20, 12] : [2, 12, 8];
  const counted = await file.exactly(start + offset, countBytes);
  const count = isBig ? uint64(counted, isLittle) : readers[3]!(counted, isLittle);
  const entries = await file.at(start + offset + countBytes, Math.min(count, maxEntries) * entryBytes);
  const found = new Map<number, number>();
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    const [tag, type] = [at, at + 2].map((offset) => readers[3]!(entries.subarray(offset), isLittle));
    const value = readers[type!]?.(entries.subarray(at + valueAt, at + entryBytes), isLittle);
    if (value !== undefined) found.set(tag!, value);
  }
  return found;
}

export async function tiffMeasures(file: FileBytes): Promise<Measures> {
  const found = await firstDirectory(file, 0);
  const [width, height] = [found.get(tags.width), found.get(tags.height)];
  return pixels(width, height, found.get(tags.orientation));
}

/** 1 to 8; 1 for EXIF that has none or cannot be read, as in a browser. */
export async function exifOrientation(file: FileBytes, start: number): Promise<number> {
  const prefix = (await file.at(start, 6)).toString('latin1') === 'Exif\0\0' ? 6 : 0;
  const found = await firstDirectory(file, start + prefix).catch(() => new Map<number, number>());
  return found.get(tags.orientation) ?? 1;
}
