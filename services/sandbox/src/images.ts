import { availableParallelism } from 'node:os';
import type { Sharp, SharpInput } from 'sharp';
import sharp from 'sharp';

export const formats = ['png', 'jpeg', 'webp'] as const;
export type Format = (typeof formats)[number];

export const contentTypes = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
} as const satisfies Record<Format, string>;

// One thread per image: slots limit concurrency.
sharp.concurrency(1);
sharp.cache(false);

export function encode(source: SharpInput | Sharp, format: Format): Promise<Buffer> {
  const image = source instanceof sharp ? source : sharp(source);
  const encoders = {
    png: () => image.png({ compressionLevel: 6 }),
    jpeg: () => image.flatten({ background: '#ffffff' }).jpeg({ quality: 85 }),
    webp: () => image.webp({ quality: 82, effort: 2 }),
  } satisfies Record<Format, () => Sharp>;
  return encoders[format]().toBuffer();
}

/** An image takes memory and a core: at most the number of cores, and of Node's worker threads. */
const slots = Math.min(availableParallelism(), 4);

let free = slots;
const waiting: (() => void)[] = [];

/** Skips `work` when the run is cancelled before a slot is free. */
export async function withImageSlot<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}
