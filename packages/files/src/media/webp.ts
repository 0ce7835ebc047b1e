import type { FileBytes } from './bytes.ts';
import { durationMs, type Measures, pixels, shownMs, unknown } from './measures.ts';
import { exifOrientation } from './tiff.ts';

/** An animation has the duration of all frames, once. @throws when the file is cut off */
export async function webpMeasures(file: FileBytes): Promise<Measures> {
  const riffBytes = 8 + (await file.exactly(0, 12)).readUInt32LE(4);
  // Some encoders leave out the byte that pads the last chunk.
  if (riffBytes > file.sizeBytes + 1) throw new Error('the file is cut off');
  let size = unknown;
  let [totalMs, frames, orientation] = [0, 0, 1];
  for (let at = 12; at + 8 <= Math.min(file.sizeBytes, riffBytes); ) {
    const head = await file.at(at, 24);
    const [name, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    const read = sizes[name];
    if (read && size.width === null && head.length >= 18) size = read(head.subarray(8));
    if (name === 'ANMF' && head.length === 24) {
      frames += 1;
      totalMs += shownMs(head.readUIntLE(20, 3));
    }
    if (name === 'EXIF') orientation = await exifOrientation(file, at + 8);
    at += 8 + length + (length % 2);
  }
  return {
    ...pixels(size.width ?? 0, size.height ?? 0, orientation),
    durationMs: frames > 1 ? durationMs(totalMs / 1000) : null,
  };
}

/** By the chunk that has them, from its payload. */
const sizes: Record<string, (payload: Buffer) => Measures> = {
  VP8X: (payload) => pixels(payload.readUIntLE(4, 3) + 1, payload.readUIntLE(7, 3) + 1),
  'VP8 ': (payload) => pixels(payload.readUInt16LE(6) & 0x3fff, payload.readUInt16LE(8) & 0x3fff),
  VP8L: (payload) => {
    const bits = payload.readUInt32LE(1);
    return pixels((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
  },
};
