import type { FileBytes } from './bytes.ts';
import { type Measures, pixels } from './measures.ts';
import { exifOrientation } from './tiff.ts';

const app1 = 0xe1;
const startOfScan = 0xda;
/** Without a length: TEM, and the restarts. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** SOF0 to SOF15 but for the tables between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** @throws when the file is cut off before its pixels begin */
export async function jpegMeasures(file: FileBytes): Promise<Measures> {
  let size: { width: number; height: number } | null = null;
  let orientation = 1;
  for (let at = 2; ; ) {
    const head = await file.exactly(at, 2);
    const marker = head.readUInt8(1);
    if (head[0] !== 0xff) throw new Error('not a JPEG');
    if (marker === 0xff || isAlone(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const length = (await file.exactly(at + 2, 2)).readUInt16BE();
    if (marker === startOfScan) break;
    if (isFrame(marker)) {
      const frame = await file.exactly(at + 5, 4);
      size = { height: frame.readUInt16BE(0), width: frame.readUInt16BE(2) };
    }
    const isExif = marker === app1 && (await file.at(at + 4, 6)).toString('latin1') === 'Exif\0\0';
    if (isExif) orientation = await exifOrientation(file, at + 4);
    at += 2 + Math.max(length, 2);
  }
  if (size === null) throw new Error('a JPEG without a frame');
  return pixels(size.width, size.height, orientation);
}
