import type { FileBytes } from './bytes.ts';
import { type Measures, pixels } from './measures.ts';

/** The oldest form has sides of 16 bits; a negative height says that the rows begin at the top. */
export async function bmpMeasures(file: FileBytes): Promise<Measures> {
  const head = await file.exactly(0, 26);
  const isOldest = head.readUInt32LE(14) === 12;
  return isOldest
    ? pixels(head.readUInt16LE(18), head.readUInt16LE(20))
    : pixels(head.readInt32LE(18), Math.abs(head.readInt32LE(22)));
}
