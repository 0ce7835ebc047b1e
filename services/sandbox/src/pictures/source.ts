import { percentDecoded } from '@holdfast/kit/redisAddress';
import { ModelError } from '../modelError.ts';

const maxBytes = 157_286_400;
const timeoutMs = 60_000;

/** The bytes of an input file, given as a URL or a data URI. */
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
  if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`);
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
