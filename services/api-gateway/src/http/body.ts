import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, type Readable, Transform } from 'node:stream';
import { ApiError } from '@holdfast/domain/errors';
import { type BodyHold, type BodyPace, watchPace } from './bodyLimits.ts';
import type { RawRequest } from './endpoint.ts';

export type BodyTerms = { maxBytes: number; pace: BodyPace; hold: BodyHold };

/** Requests whose clients send the body when they are asked for it (`Expect: 100-continue`). */
const withheld = new WeakSet<IncomingMessage>();

/** Unless it is asked for, the connection closes with the response: the body may follow it, or the next request. */
export function withholdBody(request: IncomingMessage, response: ServerResponse): void {
  withheld.add(request);
  response.setHeader('Connection', 'close');
}

export function isBodyWithheld(request: IncomingMessage): boolean {
  return withheld.has(request);
}

export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (!withheld.delete(request)) return;
  response.removeHeader('Connection');
  response.writeContinue();
}

/** Bytes of a streamed body that may be in memory on their way. */
const streamedHoldBytes = 1_048_576;
/** A streamed body may take as long as an upload, if it keeps the minimum rate. */
const streamedWithinMs = 3_600_000;

/**
 * The bytes of a body of up to `bufferedBytes`; a longer one as a stream, which fails with the ApiErrors of `readBody`.
 * Destroying it leaves the request open for its response.
 */
export async function readOrStreamBody(
  raw: RawRequest,
  terms: BodyTerms & { bufferedBytes: number },
): Promise<Buffer | Readable> {
  const { bufferedBytes, maxBytes, hold } = terms;
  const declared = Number(raw.request.headers['content-length'] ?? 0);
  if (declared <= bufferedBytes) {
    const { bytes, isWhole } = await readFirst(raw, { ...terms, maxBytes: bufferedBytes });
    return isWhole ? bytes : streamBody(raw.request, terms, bytes);
  }
  refuseCompressed(raw.request);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  hold.take(streamedHoldBytes);
  askForBody(raw.request, raw.response);
  return streamBody(raw.request, terms, null);
}

/** `first`: what was read of it already. */
function streamBody(request: IncomingMessage, { maxBytes, pace }: BodyTerms, first: Buffer | null): Readable {
  let sizeBytes = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  // It may fail before anything reads it.
  body.on('error', () => {});
  const unwatch = watchPace(request, { ...pace, withinMs: streamedWithinMs }, (error) => body.destroy(error));
  body.once('close', () => {
    unwatch();
    request.unpipe(body);
  });
  finished(request, { writable: false }, (error) => error && body.destroy(error));
  if (first) body.write(first);
  return request.pipe(body);
}

/**
 * The bytes of a body. Of what is refused the rest is left to `answerError`; what declares too great a length is not read.
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, RATE_LIMITED and SERVICE_UNAVAILABLE when there is no room for it,
 * UNSUPPORTED_MEDIA_TYPE for a compressed one
 */
export async function readBody(raw: RawRequest, terms: BodyTerms): Promise<Buffer> {
  const { bytes, isWhole } = await readFirst(raw, terms);
  if (!isWhole) throw tooLarge(terms.maxBytes);
  return bytes;
}

/** All of a body, or somewhat more than `maxBytes` of one that did not declare its length. */
type FirstBytes = { bytes: Buffer; isWhole: boolean };

async function readFirst({ request, response }: RawRequest, terms: BodyTerms): Promise<FirstBytes> {
  refuseCompressed(request);
  const declared = request.headers['content-length'];
  if (declared === undefined) {
    askForBody(request, response);
    return await collect(request, terms, terms.hold.take);
  }
  if (Number(declared) > terms.maxBytes) throw tooLarge(terms.maxBytes);
  terms.hold.take(Number(declared));
  askForBody(request, response);
  return await collect(request, terms, () => {});
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

/** `onBytes` may refuse them by an exception. */
function collect(
  request: IncomingMessage,
  { maxBytes, pace }: BodyTerms,
  onBytes: (bytes: number) => void,
): Promise<FirstBytes> {
  const body = growingBuffer();
  const { promise, resolve, reject } = Promise.withResolvers<FirstBytes>();
  const unwatch = watchPace(request, pace, fail);
  const unfinish = finished(request, { writable: false }, (error) => {
    end();
    if (error) reject(error);
    else resolve({ bytes: body.whole(), isWhole: true });
  });

  function end(): void {
    unwatch();
    unfinish();
    request.off('data', onData);
  }

  function fail(error: unknown): void {
    end();
    request.pause();
    reject(error);
  }

  function onData(chunk: Buffer): void {
    try {
      onBytes(chunk.length);
      if (body.add(chunk) <= maxBytes) return;
      end();
      request.pause();
      resolve({ bytes: body.whole(), isWhole: false });
    } catch (error) {
      fail(error);
    }
  }

  request.on('data', onData);
  return promise;
}

const firstBytes = 16_384;

/** Not a list of chunks: a client may send its bytes one by one, and each would cost a hundred. */
function growingBuffer() {
  let bytes = Buffer.allocUnsafe(0);
  let size = 0;

  function grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.max(firstBytes, needed, bytes.length * 2));
    bytes.copy(grown, 0, 0, size);
    bytes = grown;
  }

  return {
    /** Returns how many there are by now. */
    add(chunk: Buffer): number {
      if (size + chunk.length > bytes.length) grow(size + chunk.length);
      size += chunk.copy(bytes, size);
      return size;
    },
    whole: () => bytes.subarray(0, size),
  };
}
