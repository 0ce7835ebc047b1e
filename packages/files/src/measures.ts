import { bmpMeasures } from './media/bmp.ts';
import { FileBytes, type ReadRange } from './media/bytes.ts';
import { containerMeasures } from './media/containers.ts';
import { flacMeasures } from './media/flac.ts';
import { gifMeasures } from './media/gif.ts';
import { heifMeasures } from './media/heif.ts';
import { jpegMeasures } from './media/jpeg.ts';
import { type Measures, unknown } from './media/measures.ts';
import { adtsMeasures, mp3Measures } from './media/mpegAudio.ts';
import { pngMeasures } from './media/png.ts';
import { tiffMeasures } from './media/tiff.ts';
import { wavMeasures } from './media/wav.ts';
import { webpMeasures } from './media/webp.ts';
import type { ObjectStore } from './store.ts';

export type { ReadRange } from './media/bytes.ts';
export type { Measures } from './media/measures.ts';

export type FileToMeasure = { contentType: string; sizeBytes: number; head: Buffer };

/** Many files have their measures within it; the rest is read in parts as large as a reader needs. */
export const measuredHeadBytes = 262_144;

export async function measureObject(
  store: ObjectStore,
  { key, contentType, sizeBytes }: { key: string; contentType: string; sizeBytes: number },
): Promise<Measures> {
  if (!isMeasurable(contentType)) return unknown;
  const head = await store.readHead(key, measuredHeadBytes);
  return await measure({ contentType, sizeBytes, head }, (start, end) =>
    store.readRange(key, { start, end }),
  );
}

/** Mostly from the `head`; `read` fetches other parts, such as the end of an MP4. Rejects when `read` does, not for what is in a file. */
export async function measure(file: FileToMeasure, read: ReadRange): Promise<Measures> {
  const { contentType, sizeBytes, head } = file;
  if (!isMeasurable(contentType)) return unknown;
  const reader = Object.hasOwn(readers, contentType) ? readers[contentType] : undefined;
  // Not by the rejection alone: a reader goes on without what it can do without.
  const failures: unknown[] = [];
  const readPart: ReadRange = async (start, end) => {
    if (end < head.length) return head.subarray(start, end + 1);
    return await read(start, end).catch((error: unknown) => {
      failures.push(error);
      throw error;
    });
  };
  const measures = await (
    reader?.(new FileBytes(file, readPart)) ?? containerMeasures(sizeBytes, readPart)
  ).catch(() => unknown);
  if (failures.length > 0) throw failures[0];
  return contentType.startsWith('audio/') ? { ...measures, width: null, height: null } : measures;
}

/** An image of these types whose size cannot be read is none: cut off, or something else after its first bytes. */
export function isUnreadable(contentType: string, { width, height }: Measures): boolean {
  return wholeImages.has(contentType) && width === null && height === null;
}

const wholeImages = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** These are read here, from start to end; the containers of audio and video by a library. */
const readers: Readonly<Record<string, (file: FileBytes) => Promise<Measures>>> = {
  'image/png': pngMeasures,
  'image/jpeg': jpegMeasures,
  'image/gif': gifMeasures,
  'image/webp': webpMeasures,
  'image/tiff': tiffMeasures,
  'image/bmp': bmpMeasures,
  'image/avif': heifMeasures,
  'image/heic': heifMeasures,
  'audio/wav': wavMeasures,
  'audio/x-wav': wavMeasures,
  'audio/mpeg': mp3Measures,
  'audio/aac': adtsMeasures,
  'audio/flac': flacMeasures,
};

function isMeasurable(contentType: string): boolean {
  return Object.hasOwn(readers, contentType) || /^(audio|video)\//.test(contentType);
}
