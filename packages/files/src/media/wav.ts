import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, unknown } from './measures.ts';

/** A program that did not know a size when it began to write puts one of these. */
const untilEnd = new Set([0, 0xffff_ffff]);

/** RIFF, RF64 and BW64. */
export async function wavMeasures(file: FileBytes): Promise<Measures> {
  let bytesPerSecond = 0;
  let longDataBytes = 0;
  for (let at = 12; ; ) {
    const head = await file.exactly(at, 8);
    const [name, claimed] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    if (name === 'ds64') longDataBytes = Number((await file.exactly(at + 16, 8)).readBigUInt64LE());
    if (name === 'fmt ') bytesPerSecond = (await file.exactly(at + 16, 4)).readUInt32LE();
    if (name === 'data') {
      const leftBytes = file.sizeBytes - at - 8;
      const dataBytes = untilEnd.has(claimed) ? longDataBytes || leftBytes : claimed;
      return { ...unknown, durationMs: durationMs(Math.min(dataBytes, leftBytes) / bytesPerSecond) };
    }
    at += 8 + claimed + (claimed % 2);
  }
}
