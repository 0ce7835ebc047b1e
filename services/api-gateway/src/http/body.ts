import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { ApiError } from '@holdfast/domain/errors';
import { decoderOf } from '@holdfast/kit/contentEncoding';
import { type BodyHold, type BodyPace, watchPace } from './bodyLimits.ts';
import type { RawRequest } from './endpoint.ts';

export type BodyLimits = { maxBytes: number; pace: BodyPace; hold: BodyHold };

/** Requests with `Expect: 100-continue`: the client sends the body only after `requestBody`. */
const withheld = new WeakSet<IncomingMessage>();

/** Unless the body is requested, the connection closes after the response: what follows may be the body or the next request. */
export function withholdBody(request: IncomingMessage, response: ServerResponse): void {
  withheld.add(request);
  response.setHeader('Connection', 'close');
}

export function isBodyWithheld(request: IncomingMessage): boolean {
  return withheld.has(request);
}

/** Sends `100 Continue` when the client waits for it. */
export function requestBody(request: IncomingMessage, response: ServerResponse): void {
  if (!withheld.delete(request)) return;
  response.removeHeader('Connection');
  response.writeContinue();
}

/** Undefined for a chunked or compressed body. Node refuses a length that is not a number. */
export function declaredBytes(headers: IncomingHttpHeaders): number | undefined {
  const { 'content-length': length } = headers;
  return length === undefined || decoderOf(headers) !== null ? undefined : Number(length);
}

/**
 * Reads a body. One whose `Content-Length` is too large is not read at all; the rest of a refused one is left to
 * `respondError`. @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE for a compressed body,
 * RATE_LIMITED and SERVICE_UNAVAILABLE when there is no memory for it
 */
export async function readBody(raw: RawRequest, limits: BodyLimits): Promise<Buffer> {
  const { bytes, isWhole } = await readStart(raw, limits);
  if (!isWhole) throw tooLarge(limits.maxBytes);
  return bytes;
}

/** Memory that a streamed body may occupy on its way. */
const streamedHoldBytes = 1_048_576;
/** A streamed body may take as long as an upload, if it keeps the minimum rate. */
const streamedMaxMs = 3_600_000;

/**
 * Reads a body of up to `bufferedBytes`, and streams a longer one, or with `decompresses` a compressed one. The stream fails
 * with the ApiErrors of `readBody`; destroying it keeps the request open for its response.
 */
export async function readOrStreamBody(
  raw: RawRequest,
  limits: BodyLimits & { bufferedBytes: number; decompresses?: true },
): Promise<Buffer | Readable> {
  const { bufferedBytes, decompresses = false } = limits;
  const declared = Number(raw.request.headers['content-length'] ?? 0);
  const isDecompressed = decompresses && decoderOf(raw.request.headers) !== null;
  if (declared <= bufferedBytes && !isDecompressed) {
    const { bytes, isWhole } = await readStart(raw, { ...limits, maxBytes: bufferedBytes });
    return isWhole ? bytes : streamOf(raw.request, limits, bytes);
  }
  if (!isDecompressed) refuseCompressed(raw.request);
  return streamBody(raw, limits);
}

/** The stream of `readOrStreamBody`. */
export function streamBody({ request, response }: RawRequest, limits: BodyLimits): Readable {
  const { maxBytes, hold } = limits;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  hold.take(streamedHoldBytes);
  requestBody(request, response);
  return streamOf(request, limits, null);
}

/** The stream of a request's body, decompressed; `maxBytes` counts what it becomes. `start`: the bytes that were already read. */
function streamOf(request: IncomingMessage, { maxBytes, pace }: BodyLimits, start: Buffer | null): Readable {
  let sizeBytes = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
    // At once: the response to the request may resume it before an event of the stream comes.
    destroy(error, done) {
      unwatchPace();
      request.unpipe();
      done(error);
    },
  });
  // The stream may fail before it is read.
  body.on('error', () => {});
  const unwatchPace = watchPace(request, { ...pace, maxMs: streamedMaxMs }, (error) => body.destroy(error));
  finished(request, { writable: false }, (error) => error && body.destroy(error));
  const decoder = decoderOf(request.headers)?.();
  if (decoder !== undefined) {
    decoder.on('error', () => body.destroy(damaged()));
    return request.pipe(decoder).pipe(body);
  }
  if (start) body.write(start);
  return request.pipe(body);
}

function damaged(): ApiError {
  return new ApiError('INPUT_VALIDATION_ERROR', 'The body cannot be decompressed.');
}

/** A whole body, or slightly more than `maxBytes` of one that did not declare its length. */
type BodyStart = { bytes: Buffer; isWhole: boolean };

async function readStart({ request, response }: RawRequest, limits: BodyLimits): Promise<BodyStart> {
  refuseCompressed(request);
  const declared = request.headers['content-length'];
  if (declared === undefined) {
    requestBody(request, response);
    return await collectBody(request, limits, limits.hold.take);
  }
  if (Number(declared) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  limits.hold.take(Number(declared));
  requestBody(request, response);
  return await collectBody(request, limits, () => {});
}

function refuseCompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
  }
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body must not exceed ${maxBytes} bytes.`);
}

/** `onBytes` may throw to refuse the body. */
function collectBody(
  request: IncomingMessage,
  { maxBytes, pace }: BodyLimits,
  onBytes: (bytes: number) => void,
): Promise<BodyStart> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  const body = growingBuffer(declared < initialBytes ? declared : initialBytes);
  const { promise, resolve, reject } = Promise.withResolvers<BodyStart>();
  const unwatchPace = watchPace(request, pace, fail);

  function cleanUp(): void {
    unwatchPace();
    request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
  }

  function onEnd(): void {
    cleanUp();
    resolve({ bytes: body.whole(), isWhole: true });
  }

  function onBroken(error: Error = new Error('the request ended before its body')): void {
    cleanUp();
    reject(error);
  }

  function fail(error: unknown): void {
    cleanUp();
    request.pause();
    reject(error);
  }

  function onData(chunk: Buffer): void {
    try {
      onBytes(chunk.length);
      if (body.add(chunk) <= maxBytes) return;
      cleanUp();
      request.pause();
      resolve({ bytes: body.whole(), isWhole: false });
    } catch (error) {
      fail(error);
    }
  }

  // `finished` of node:stream would do, for twenty times the listeners and closures.
  if (request.destroyed) onBroken(request.errored ?? undefined);
  else request.on('end', onEnd).on('error', onBroken).on('close', onBroken).on('data', onData);
  return promise;
}

const initialBytes = 16_384;

/** Not a list of chunks: a client may send single bytes, and every chunk costs about a hundred bytes of its own. */
function growingBuffer(startBytes: number) {
  let bytes = Buffer.allocUnsafe(0);
  let size = 0;

  function grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.max(startBytes, needed, bytes.length * 2));
    bytes.copy(grown, 0, 0, size);
    bytes = grown;
  }

  return {
    add(chunk: Buffer): number {
      if (size + chunk.length > bytes.length) grow(size + chunk.length);
      size += chunk.copy(bytes, size);
      return size;
    },
    whole: () => bytes.subarray(0, size),
  };
}
