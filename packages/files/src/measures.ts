import type { ObjectStore } from './store.ts';

/** Pixels of images and videos, milliseconds of audio and video; null: unknown. */
export type Measures = { width: number | null; height: number | null; durationMs: number | null };

export type FileToMeasure = { contentType: string; sizeBytes: number; head: Buffer };

/** Reads the bytes from `start` to `end`, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

/** The size of an image is near its start, but JPEGs may carry a thumbnail before it. */
export const measuredHeadBytes = 262_144;

/** The longest side of a JPEG. A larger claim counts as none, for it would decide the price. */
export const maxSide = 65_535;
export const unknown: Measures = { width: null, height: null, durationMs: null };

export async function measureObject(
  store: ObjectStore,
  { key, contentType, sizeBytes }: { key: string; contentType: string; sizeBytes: number },
): Promise<Measures> {
  const head = await store.readHead(key, measuredHeadBytes);
  return await measure({ contentType, sizeBytes, head }, (start, end) =>
    store.readRange(key, { start, end }),
  );
}

/** From metadata, mostly in the `head`; `read` fetches other parts, such as the end of an MP4. */
export async function measure(file: FileToMeasure, read: ReadRange): Promise<Measures> {
  // Outside the `try`: a parser that cannot be loaded says nothing about the file.
  const parse = await parserOf(file.contentType);
  try {
    return await parse(file, read);
  } catch {
    return unknown;
  }
}

type Parse = (file: FileToMeasure, read: ReadRange) => Promise<Measures> | Measures;

async function parserOf(contentType: string): Promise<Parse> {
  if (contentType.startsWith('image/')) {
    const { imageSize } = await import('image-size');
    return ({ head }) => imageMeasures(imageSize(head));
  }
  if (!/^(audio|video)\//.test(contentType)) return () => unknown;
  return (await import('./mediaMeasures.ts')).mediaMeasures;
}

function imageMeasures({ width, height }: { width: number; height: number }): Measures {
  return { ...unknown, width: validOrNull(width, maxSide), height: validOrNull(height, maxSide) };
}

export function validOrNull(value: number | undefined, max: number): number | null {
  const rounded = Math.round(value ?? 0);
  return rounded > 0 && rounded <= max ? rounded : null;
}
