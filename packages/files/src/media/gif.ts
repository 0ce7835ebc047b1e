import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, pixels, shownMs } from './measures.ts';

const extension = 0x21;
const graphicControl = 0xf9;
const imageDescriptor = 0x2c;

/** The duration counts all frames once; a single frame has none. */
export async function gifMeasures(file: FileBytes): Promise<Measures> {
  const head = await file.exactly(0, 13);
  const size = pixels(head.readUInt16LE(6), head.readUInt16LE(8));
  let at = 13 + paletteBytes(head.readUInt8(10));
  let [frames, totalMs, delayMs] = [0, 0, 0];
  for (;;) {
    const block = await file.at(at, 10);
    if (block[0] === extension && block.length > 6) {
      if (block[1] === graphicControl) delayMs = block.readUInt16LE(4) * 10;
      at = await endOfSubBlocks(file, at + 2);
    } else if (block[0] === imageDescriptor && block.length === 10) {
      frames += 1;
      totalMs += shownMs(delayMs);
      delayMs = 0;
      // One byte between the palette and the data says how long the codes are.
      at = await endOfSubBlocks(file, at + 10 + paletteBytes(block.readUInt8(9)) + 1);
    } else break;
  }
  return { ...size, durationMs: frames > 1 ? durationMs(totalMs / 1000) : null };
}

function paletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

async function endOfSubBlocks(file: FileBytes, start: number): Promise<number> {
  for (let at = start; ; ) {
    const length = (await file.at(at, 1))[0] ?? 0;
    at += 1 + length;
    if (length === 0) return at;
  }
}
