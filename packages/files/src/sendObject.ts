import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { attachment } from './contentDisposition.ts';
import { parseRange } from './range.ts';
import type { ObjectStore } from './store.ts';

export type ErrorAnswer =
  | 'FORBIDDEN'
  | 'PAYLOAD_TOO_LARGE'
  | 'INPUT_VALIDATION_ERROR'
  | 'NOT_FOUND'
  | 'UNSUPPORTED_MEDIA_TYPE';

/** Writes and ends the error's body; headers such as Content-Range are already set. */
export type OnError = (res: ServerResponse, status: number, code: ErrorAnswer, message: string) => void;

export type SentObject = { key: string; filename: string; contentType: string };

/** Streams an object as an attachment: 200, 206 or 416 by its Range header, headers alone for HEAD, 404 when it is gone. */
export async function sendObject(
  req: IncomingMessage,
  res: ServerResponse,
  store: ObjectStore,
  object: SentObject,
  onError: OnError,
): Promise<void> {
  const found = await store.stat(object.key);
  if (!found) return onError(res, 404, 'NOT_FOUND', 'no such file');
  const { sizeBytes } = found;
  // No answer of ours carries a validator that If-Range could name: RFC 9110 has the whole sent then.
  const range = parseRange(req.headers['if-range'] === undefined ? req.headers.range : undefined, sizeBytes);
  res.setHeader('Accept-Ranges', 'bytes');
  if (range === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${sizeBytes}`);
    return onError(res, 416, 'INPUT_VALIDATION_ERROR', 'the range lies outside the file');
  }
  res.statusCode = range ? 206 : 200;
  res.setHeader('Content-Type', object.contentType);
  res.setHeader('Content-Disposition', attachment(object.filename));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'private, no-store');
  res.setHeader('Content-Length', range ? range.end - range.start + 1 : sizeBytes);
  if (range) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  if (req.method === 'HEAD') return void res.end();
  const body = await store.read(object.key, range ?? undefined);
  // A reader who leaves, or an object that fails half-way, ends the connection; there is nobody left to tell.
  await pipeline(body, res).catch(() => res.destroy());
}
