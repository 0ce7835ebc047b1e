import sharp, { type Metadata } from 'sharp';
import { ModelError } from '../modelError.ts';
import { encode, type Format, formats } from './encode.ts';

const maxPixels = 100_000_000;
const longestSide = 8192;

/** SVG is left out on purpose: it is a program, not a picture. */
const readable = new Set(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif', 'avif']);

export type Wish = {
  width?: number | undefined;
  height?: number | undefined;
  format?: Format | undefined;
  grayscale: boolean;
};

/** The picture turned upright, scaled, greyed and encoded as wished. Fails when it is no picture, or a damaged one. */
export async function transformPicture(
  source: Buffer,
  wish: Wish,
): Promise<{ bytes: Buffer; format: Format }> {
  const found = await readMetadata(source);
  const format = wish.format ?? formats.find((one) => one === found.format) ?? 'png';
  checkSize(found, wish);
  const picture = sharp(source, { limitInputPixels: maxPixels, failOn: 'error' }).autoOrient();
  if (wish.width !== undefined || wish.height !== undefined) {
    const { width, height } = wish;
    picture.resize({ ...(width && { width }), ...(height && { height }), fit: 'cover' });
  }
  if (wish.grayscale) picture.grayscale();
  try {
    return { bytes: await encode(picture, format), format };
  } catch {
    throw new ModelError('FILE_FORMAT_UNSUPPORTED', 'source_image is damaged or can not be converted.');
  }
}

async function readMetadata(source: Buffer): Promise<Metadata> {
  // sharp throws at once for no bytes at all, and rejects for bytes that are no picture.
  const found = await Promise.resolve()
    .then(() => sharp(source, { limitInputPixels: false }).metadata())
    .catch(() => null);
  if (found === null || !readable.has(found.format)) {
    throw new ModelError('FILE_FORMAT_UNSUPPORTED', 'source_image is not a picture in a supported format.');
  }
  if (found.width * found.height > maxPixels) {
    throw new ModelError('INPUT_VALIDATION_ERROR', 'source_image has too many pixels.');
  }
  return found;
}

/** One side alone scales the other: a long strip could become a giant. */
function checkSize({ autoOrient }: Metadata, { width, height }: Wish): void {
  const scale =
    width !== undefined ? width / autoOrient.width : height !== undefined ? height / autoOrient.height : 1;
  if ((width !== undefined) === (height !== undefined)) return;
  if (Math.max(autoOrient.width, autoOrient.height) * scale > longestSide) {
    throw new ModelError('INPUT_VALIDATION_ERROR', `The result would be longer than ${longestSide} pixels.`);
  }
}
