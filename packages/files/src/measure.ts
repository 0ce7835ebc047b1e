import { buffer } from 'node:stream/consumers';
import { imageSize } from 'image-size';
import { parseFromTokenizer } from 'music-metadata';
import { RangedTokenizer, type ReadRange } from './rangedTokenizer.ts';
import type { ObjectStore } from './store.ts';

/** Pixels of pictures and videos, milliseconds of audio and video; null: the file doesn't say. */
export type Measures = { width: number | null; height: number | null; durationMs: number | null };

export type Measured = { contentType: string; sizeBytes: number; head: Buffer };

/** The column's type. */
const largest = 2_147_483_647;
/** The longest side that JPEG can have; a file that claims more is priced as if it claimed none. */
const longestSide = 65_535;
const nothing: Measures = { width: null, height: null, durationMs: null };

/** A picture's size stands near its beginning; JPEGs may carry a thumbnail before it. */
export const measuredHeadBytes = 262_144;

/** Measures a stored file. @throws ObjectNotFoundError */
export async function measureObject(
  store: ObjectStore,
  { key, contentType, sizeBytes }: { key: string; contentType: string; sizeBytes: number },
): Promise<Measures> {
  const head = await store.readHead(key, measuredHeadBytes);
  return await measure({ contentType, sizeBytes, head }, async (start, end) =>
    buffer(await store.read(key, { start, end })),
  );
}

/**
 * What a file says of its measures. Most say it near their beginning (`head`); `read` fetches other parts, such as the end
 * of an MP4, in pieces and never many. A file that is broken says nothing.
 */
export async function measure(file: Measured, read: ReadRange): Promise<Measures> {
  try {
    if (file.contentType.startsWith('image/')) return pictureSize(file.head);
    return /^(audio|video)\//.test(file.contentType) ? await mediaMeasures(file, read) : nothing;
  } catch {
    return nothing;
  }
}

function pictureSize(head: Buffer): Measures {
  const { width, height } = imageSize(head);
  return { ...nothing, width: side(width), height: side(height) };
}

async function mediaMeasures({ contentType, sizeBytes, head }: Measured, read: ReadRange): Promise<Measures> {
  const tokenizer = new RangedTokenizer(head, { size: sizeBytes, mimeType: contentType }, read);
  const { format } = await parseFromTokenizer(tokenizer, { skipCovers: true, skipPostHeaders: true });
  const video = format.trackInfo.find((track) => track.video)?.video;
  // The file's own may be that of its sound alone, and is missing where there is none.
  const durationS = Math.max(format.duration ?? 0, ...format.trackInfo.map(({ duration }) => duration ?? 0));
  const isVideo = contentType.startsWith('video/');
  return {
    width: isVideo ? side(video?.displayWidth ?? video?.pixelWidth) : null,
    height: isVideo ? side(video?.displayHeight ?? video?.pixelHeight) : null,
    durationMs: whole(durationS * 1000),
  };
}

function side(pixels: number | undefined): number | null {
  return whole(pixels, longestSide);
}

/** What a file claims is believed if it is possible. */
function whole(value: number | undefined, most = largest): number | null {
  const rounded = Math.round(value ?? 0);
  return rounded > 0 && rounded <= most ? rounded : null;
}
