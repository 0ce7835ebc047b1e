import { percentDecoded } from '@holdfast/kit/redisAddress';
import type { Metadata } from 'sharp';
import sharp from 'sharp';
import { z } from 'zod';
import { contentTypes, encode, type Format, formats, withImageSlot } from '../images.ts';
import { applyControls, controls, type Model, ModelError } from '../model.ts';

const side = z.int().min(1).max(4096).optional();

const input = z.strictObject({
  source_image: z.string().min(1),
  width: side,
  height: side,
  format: z.enum(formats).optional(),
  grayscale: z.boolean().default(false),
  ...controls,
});

export const transform: Model = {
  input,
  streams: false,
  async run(raw, context) {
    const given = raw as z.infer<typeof input>;
    const { signal, publish } = context;
    await applyControls(given, context);
    const source = await readSource(given.source_image, signal);
    const { bytes, format } = await withImageSlot(signal, () => transformImage(source, given));
    return { output: [publish(bytes, contentTypes[format])], metrics: { image_count: 1 } };
  },
};

const maxPixels = 100_000_000;
const maxSide = 8192;

/** No SVG, because it can contain programs. */
const readable = new Set(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif', 'avif']);

export type TransformOptions = {
  width?: number | undefined;
  height?: number | undefined;
  format?: Format | undefined;
  grayscale: boolean;
};

/** @throws ModelError for a damaged file, or one that is not an image */
export async function transformImage(
  source: Buffer,
  options: TransformOptions,
): Promise<{ bytes: Buffer; format: Format }> {
  const found = await readMetadata(source);
  const format = options.format ?? formats.find((one) => one === found.format) ?? 'png';
  checkSize(found, options);
  const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error' }).autoOrient();
  if (options.width !== undefined || options.height !== undefined) {
    const { width, height } = options;
    image.resize({ ...(width && { width }), ...(height && { height }), fit: 'cover' });
  }
  if (options.grayscale) image.grayscale();
  try {
    return { bytes: await encode(image, format), format };
  } catch {
    throw new ModelError('FILE_FORMAT_UNSUPPORTED', 'source_image is damaged or cannot be converted.');
  }
}

async function readMetadata(source: Buffer): Promise<Metadata> {
  // sharp throws synchronously for no bytes, and rejects for bytes of no image.
  const found = await Promise.resolve()
    .then(() => sharp(source, { limitInputPixels: false }).metadata())
    .catch(() => null);
  if (found === null || !readable.has(found.format)) {
    throw new ModelError('FILE_FORMAT_UNSUPPORTED', 'source_image is not an image in a supported format.');
  }
  if (found.width * found.height > maxPixels) {
    throw new ModelError('INPUT_VALIDATION_ERROR', 'source_image has too many pixels.');
  }
  return found;
}

/** One given side scales the other: a long strip could become huge. */
function checkSize({ autoOrient }: Metadata, { width, height }: TransformOptions): void {
  const scale =
    width !== undefined ? width / autoOrient.width : height !== undefined ? height / autoOrient.height : 1;
  if ((width !== undefined) === (height !== undefined)) return;
  if (Math.max(autoOrient.width, autoOrient.height) * scale > maxSide) {
    throw new ModelError('INPUT_VALIDATION_ERROR', `The result would be longer than ${maxSide} pixels.`);
  }
}

const maxBytes = 157_286_400;
const timeoutMs = 60_000;

export async function readSource(source: string, signal: AbortSignal): Promise<Buffer> {
  if (source.startsWith('data:')) return readDataUri(source);
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) {
    throw new ModelError('INPUT_VALIDATION_ERROR', 'source_image is neither a URL nor a data URI.');
  }
  try {
    return await download(source, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) throw error;
    throw new ModelError('GENERATION_FAILED', 'The source image could not be fetched.');
  }
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal });
  if (response.status === 404) throw new ModelError('FILE_NOT_FOUND', 'The source image was not found.');
  if (!response.ok || response.body === null) throw new Error(`responded with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes)
      throw new ModelError('INPUT_VALIDATION_ERROR', 'The source image is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readDataUri(uri: string): Buffer {
  const comma = uri.indexOf(',');
  if (comma < 0) throw new ModelError('INPUT_VALIDATION_ERROR', 'source_image is not a whole data URI.');
  const data = uri.slice(comma + 1);
  return uri.slice(0, comma).endsWith(';base64')
    ? Buffer.from(data, 'base64')
    : Buffer.from(percentDecoded(data) ?? data);
}
