import { addAbortSignal, Readable } from 'node:stream';
import { insertOutput, markOutputReady } from '@holdfast/db/files/insertOutput';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { openDownload } from '@holdfast/egress/download';
import { extensionOf } from '@holdfast/files/allowedTypes';
import { detectType, headBytes } from '@holdfast/files/detectType';
import { type StoredFile, UnusableOutput } from '@holdfast/providers/outputFiles';
import { imageSize } from 'image-size';
import type { Context } from './context.ts';
import type { Run } from './submission.ts';
import { takeHead } from './takeHead.ts';

const downloadTimeoutMs = 120_000;
/** A picture's size stands near its beginning; JPEGs may carry a thumbnail before it. */
const pictureHeadBytes = 262_144;

/**
 * Streams one output file of a provider (URL or data URI) into our store, and answers our record of it. A URL on one of
 * `trustedHosts` is fetched as it is, any other under the egress policy.
 */
export async function storeOutput(
  context: Context,
  run: Run,
  output: { url: string; trustedHosts: string[] },
  signal: AbortSignal,
): Promise<StoredFile> {
  const source = output.url.startsWith('data:') ? dataStream(output.url) : await download(context, output);
  addAbortSignal(signal, source);
  try {
    return await store(context, run, source);
  } finally {
    source.destroy();
  }
}

async function store(context: Context, run: Run, source: Readable): Promise<StoredFile> {
  const { head, stream } = await takeHead(source, pictureHeadBytes);
  const contentType = await detectType(head.subarray(0, headBytes));
  const extension = contentType && extensionOf(contentType);
  if (!contentType || !extension) throw new UnusableOutput('an output is of a type that is not stored');
  const id = newId('file');
  const { organizationId, id: executionId } = run;
  await insertOutput(context.db, {
    id,
    organizationId,
    executionId,
    filename: `${id}.${extension}`,
    contentType,
  });
  const { sizeBytes } = await context.store.put(id, stream, { contentType });
  const size = contentType.startsWith('image/') ? pictureSize(head) : null;
  await markOutputReady(context.db, id, {
    sizeBytes,
    width: size?.width ?? null,
    height: size?.height ?? null,
  });
  return { file_id: id, format: formatOf(contentType), ...size };
}

async function download(
  context: Context,
  output: { url: string; trustedHosts: string[] },
): Promise<Readable> {
  const { stream } = await openDownload({
    ...output,
    policy: context.egress,
    timeoutMs: downloadTimeoutMs,
    maxBytes: limits.maxFileBytes,
  });
  return stream;
}

function dataStream(url: string): Readable {
  const comma = url.indexOf(',');
  const isBase64 = url.slice(0, comma).endsWith(';base64');
  const payload = url.slice(comma + 1);
  const bytes = isBase64 ? Buffer.from(payload, 'base64') : Buffer.from(decodeURIComponent(payload));
  return Readable.from([bytes]);
}

function pictureSize(head: Buffer): { width: number; height: number } | null {
  try {
    const { width, height } = imageSize(head);
    return { width, height };
  } catch {
    return null;
  }
}

/** `image/png` -> `png`. */
function formatOf(contentType: string): string {
  return contentType.split('/')[1] ?? contentType;
}
