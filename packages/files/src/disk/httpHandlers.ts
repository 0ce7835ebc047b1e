import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, PassThrough, type Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import type { DiskSettings } from '../config.ts';
import { contradictsType } from '../contentTypes.ts';
import { type ErrorCode, type OnError, sendObject } from '../objectResponse.ts';
import { createDiskStore } from './diskStore.ts';
import { type CheckSize, writeObject } from './objectFiles.ts';
import { type Grant, verifyUrl } from './urls.ts';

/** Called before a body is read; may abort it with `fail`. Returns a function that stops watching. */
export type WatchBody = (
  req: IncomingMessage,
  res: ServerResponse,
  fail: (error: Error) => void,
) => () => void;

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

class RequestError extends Error {
  readonly status: number;
  readonly code: ErrorCode;

  constructor(status: number, code: ErrorCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** For `/storage/*`, before any body parser. They reject when the disk fails or `watchBody` aborts a body. */
export function createStorageHandlers(
  settings: DiskSettings,
  onError: OnError,
  isReplaceable: (key: string) => Promise<boolean>,
  watchBody: WatchBody = () => () => {},
): { handleStoragePut: Handler; handleStorageGet: Handler } {
  const store = createDiskStore(settings);
  return {
    handleStoragePut: async (req, res) => {
      try {
        const grant = grantOf(settings, 'PUT', req);
        checkHeaders(req, grant);
        const check: CheckSize = (sizeBytes, isComplete) => checkSize(sizeBytes, isComplete, grant);
        const mayReplace = () => requireReplaceable(isReplaceable, grant.key);
        await mayReplace();
        await writeObject(settings.path, grant.key, bodyOf(req, res, watchBody), check, mayReplace);
        res.writeHead(200, { 'content-length': 0 }).end();
      } catch (error) {
        refuse(req, res, error, onError);
      }
    },
    handleStorageGet: async (req, res) => {
      try {
        const { key, filename, contentType } = grantOf(settings, 'GET', req);
        const object = {
          key,
          filename: filename ?? 'file',
          contentType: contentType ?? 'application/octet-stream',
        };
        await sendObject(req, res, store, object, onError);
      } catch (error) {
        refuse(req, res, error, onError);
      }
    },
  };
}

/** Express keeps the original path in `originalUrl` when a router has removed its prefix from `url`. */
function grantOf(
  settings: DiskSettings,
  method: 'GET' | 'PUT',
  req: IncomingMessage & { originalUrl?: string },
): Grant {
  const grant = verifyUrl(settings.urlSecrets, method, req.originalUrl ?? req.url ?? '');
  if (!grant)
    throw new RequestError(
      403,
      'FORBIDDEN',
      `This URL has expired, was changed, or does not allow ${req.method}. Request a new one.`,
    );
  return grant;
}

async function requireReplaceable(
  isReplaceable: (key: string) => Promise<boolean>,
  key: string,
): Promise<void> {
  if (!(await isReplaceable(key))) {
    throw new RequestError(403, 'FORBIDDEN', 'The file was already uploaded and checked.');
  }
}

function checkHeaders(req: IncomingMessage, grant: Grant): void {
  const { contentType } = grant;
  if (contentType !== null && contradictsType(req.headers['content-type'], contentType)) {
    const message = `The upload declared ${contentType}: send that as Content-Type, or leave the header out.`;
    throw new RequestError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
  }
  const length = req.headers['content-length'];
  if (length !== undefined) checkSize(Number(length), true, grant);
}

function checkSize(sizeBytes: number, isComplete: boolean, grant: Grant): void {
  const maxBytes = grant.sizeBytes ?? limits.maxFileBytes;
  if (sizeBytes > maxBytes)
    throw new RequestError(413, 'PAYLOAD_TOO_LARGE', `The file must not exceed ${maxBytes} bytes.`);
  if (isComplete && grant.sizeBytes !== null && sizeBytes !== grant.sizeBytes) {
    throw new RequestError(
      400,
      'INPUT_VALIDATION_ERROR',
      `The file must be ${grant.sizeBytes} bytes, not ${sizeBytes}.`,
    );
  }
}

/** The body without its request: a failed write leaves the connection open for the response. */
function bodyOf(req: IncomingMessage, res: ServerResponse, watchBody: WatchBody): Readable {
  const body = new PassThrough();
  const unwatch = watchBody(req, res, (error) => body.destroy(error));
  body.once('close', unwatch);
  finished(req, { writable: false }, (error) => error && body.destroy(error));
  return req.pipe(body);
}

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown, onError: OnError): void {
  if (!(error instanceof RequestError)) {
    if (req.errored || res.destroyed) return;
    throw error;
  }
  onError(res, error.status, error.code, error.message);
}
