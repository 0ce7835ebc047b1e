import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'range-parser';
import { attachment } from './filename.ts';
import { type ByteRange, ObjectNotFoundError, type ObjectStore } from './store.ts';

export type ErrorCode =
  | 'FORBIDDEN'
  | 'PAYLOAD_TOO_LARGE'
  | 'INPUT_VALIDATION_ERROR'
  | 'NOT_FOUND'
  | 'UNSUPPORTED_MEDIA_TYPE';

/** Also reads the rest of the request's body: many clients read a response only after they have sent everything. */
export type OnError = (res: ServerResponse, status: number, code: ErrorCode, message: string) => void;

type SentObject = { key: string; filename: string; contentType: string };

/** As for event streams. Node may need twice the time to detect it. */
const defaultStallMs = 60_000;

/**
 * 200, 206 or 416 by the Range header, headers only for HEAD, 404 when the object is gone. The connection is closed when the
 * client takes nothing, or the store has nothing, for `stallMs`.
 */
export async function sendObject(
  req: IncomingMessage,
  res: ServerResponse,
  store: ObjectStore,
  object: SentObject,
  onError: OnError,
  stallMs = defaultStallMs,
): Promise<void> {
  const respondNotFound = () => onError(res, 404, 'NOT_FOUND', 'There is no such file.');
  const stat = await store.stat(object.key);
  if (!stat) return respondNotFound();
  const { sizeBytes } = stat;
  // Without validators for If-Range, RFC 9110 requires the whole object.
  const range = parseRange(req.headers['if-range'] === undefined ? req.headers.range : undefined, sizeBytes);
  if (range === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${sizeBytes}`);
    return onError(res, 416, 'INPUT_VALIDATION_ERROR', 'The range lies outside the file.');
  }
  // Before the headers, which would describe the response to an error, too.
  const body = req.method === 'HEAD' ? Readable.from([]) : await find(store, object.key, range);
  if (!body) return respondNotFound();
  res.statusCode = range ? 206 : 200;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('Content-Type', object.contentType);
  res.setHeader('Content-Disposition', attachment(object.filename));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'private, no-store');
  res.setHeader('Content-Length', range ? range.end - range.start + 1 : sizeBytes);
  if (range) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  res.setTimeout(stallMs);
  // The headers are sent: when the client leaves or the object fails, only the connection can be closed.
  await pipeline(body, res).catch(() => res.destroy());
}

/** Null when the object was removed since. */
async function find(store: ObjectStore, key: string, range: ByteRange | null): Promise<Readable | null> {
  try {
    return await store.read(key, range ?? undefined);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
}

/** The bits of the `code` that range-parser returns. */
const rangeProblems = { malformed: 1, unsatisfiable: 2 };

/** Null: send the whole object, as RFC 9110 allows for several ranges, and requires for invalid ones. */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  if (header === undefined) return null;
  const parsed = parse(sizeBytes, header);
  const [range, ...others] = parsed.ranges;
  if (parsed.type !== 'bytes' || parsed.code & rangeProblems.malformed || others.length > 0) return null;
  return range ?? (parsed.code & rangeProblems.unsatisfiable ? 'unsatisfiable' : null);
}
