import type { IncomingMessage } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';

/** What is too long is read on for a while, so that the client is there to hear the answer. */
const patienceFactor = 16;

/**
 * The bytes of a body, at most `maxBytes`.
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE for a compressed one
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    request.resume();
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    if (size > maxBytes * patienceFactor) break;
  }
  if (size > maxBytes) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `The body must not exceed ${maxBytes} bytes.`);
  }
  return Buffer.concat(chunks);
}
