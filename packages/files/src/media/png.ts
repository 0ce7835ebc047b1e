import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, pixels, shownMs } from './measures.ts';
import { exifOrientation } from './tiff.ts';

/** An animation (APNG) has the duration of all frames, once. @throws when the file is cut off before its last chunk */
export async function pngMeasures(file: FileBytes): Promise<Measures> {
  const header = await file.exactly(0, 33);
  let [orientation, frames, totalMs] = [1, 0, 0];
  for (let at = 8; ; ) {
    const head = await file.exactly(at, 8);
    const [length, name] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
    if (name === 'fcTL') {
      const delay = await file.exactly(at + 8 + 20, 4);
      frames += 1;
      totalMs += shownMs((delay.readUInt16BE(0) * 1000) / (delay.readUInt16BE(2) || 100));
    }
    if (name === 'eXIf') orientation = await exifOrientation(file, at + 8);
    if (name === 'IEND') break;
    // With its checksum.
    at += 12 + length;
  }
  return {
    ...pixels(header.readUInt32BE(16), header.readUInt32BE(20), orientation),
    durationMs: frames > 1 ? durationMs(totalMs / 1000) : null,
  };
}
