import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { currentReservation } from './memoryBudget.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** Creates the decoder of a compressed body; null for others, and for codings that are not used in practice. */
export function decoderOf(headers: IncomingHttpHeaders): (() => Transform) | null {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return Object.hasOwn(decoders, coding) ? (decoders[coding] ?? null) : null;
}

/** Some servers compress though no request offers to decompress. */
export function isCompressed(headers: IncomingHttpHeaders): boolean {
  return decoderOf(headers) !== null;
}

/** The headers of the decompressed body, whose length is unknown. */
export function decompressedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (!isCompressed(headers)) return headers;
  const { 'content-encoding': _coding, 'content-length': _length, ...rest } = headers;
  return rest;
}

/** Fails with the body, or when it is damaged. Its reader bounds what it reads: a small body may become a large one. */
export function decompressed(body: Readable, headers: IncomingHttpHeaders): Readable {
  const decoder = decoderOf(headers)?.();
  if (decoder === undefined) return body;
  return pipeline(body, decoder, () => {});
}

/** Null for a body of more than `maxBytes`. Rejects with what ended the stream early. */
export async function collect(stream: Readable, maxBytes: number): Promise<Buffer | null> {
  const reserve = currentReservation();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > maxBytes) return null;
    chunks.push(chunk as Buffer);
    await reserve?.((chunk as Buffer).length);
  }
  return Buffer.concat(chunks, sizeBytes);
}
