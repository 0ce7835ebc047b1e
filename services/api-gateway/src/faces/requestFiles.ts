import { createHash, hash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { insertUpload } from '@holdfast/db/files';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { DownloadError, openDownload } from '@holdfast/egress/download';
import { anyType } from '@holdfast/files/contentTypes';
import { sanitiseFilename } from '@holdfast/files/filename';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { removeFile } from '../files/readyFiles.ts';

/** Clients do not know these files and cannot delete them. They are kept for runs that are repeated. */
export const requestFileDays = 7;
const downloadTimeoutMs = 30_000;
const maxDownloadBytes = 52_428_800;

/** What a request with files may have: `maxJsonBytes` of JSON with data URIs, or a form. */
export const fileLimits = { maxJsonBytes: 20_971_520, maxFormBytes: 52_428_800 };

/** The files that came with a request: each becomes an upload of the organization. */
export type RequestFiles = {
  /** Returns its id and the SHA-256 of its bytes. @throws ApiError FORBIDDEN */
  store(filename: string, body: Readable): Promise<{ id: string; digest: string }>;
  /** Stores the file of a data URI or a URL, and returns its id. A `file_` reference is one already. @throws ApiError */
  fetch(field: string, source: string): Promise<string>;
  /** Removes them all. */
  discard(): Promise<void>;
};

/** Creates with the files of a request, which are removed if the execution does not use them. @throws ApiError */
export async function createWithFiles<Result extends { isJoined: boolean }>(
  { context, caller }: { context: Context; caller: Caller },
  create: (files: RequestFiles) => Promise<Result>,
): Promise<Result> {
  const files = openRequestFiles(context, caller);
  try {
    const created = await create(files);
    if (created.isJoined) await files.discard();
    return created;
  } catch (error) {
    // After others, the execution may exist.
    if (error instanceof ApiError && error.status < 500) await files.discard();
    throw error;
  }
}

function openRequestFiles(
  context: Context,
  { organizationId, scopes }: Pick<Caller, 'organizationId' | 'scopes'>,
): RequestFiles {
  const ids: string[] = [];

  async function put(name: string, body: Readable | Buffer): Promise<string> {
    if (!scopes.includes('files'))
      throw new ApiError('FORBIDDEN', 'A request with files requires the scope `files`.');
    const id = newId('file');
    const filename = sanitiseFilename(name);
    const upload = {
      id,
      organizationId,
      filename,
      contentType: null,
      sizeBytes: null,
      ttlDays: requestFileDays,
    };
    await insertUpload(context.db, upload);
    ids.push(id);
    await context.store.put(id, body, { contentType: anyType });
    return id;
  }

  async function download(field: string, url: string): Promise<string> {
    try {
      const { stream, filename } = await openDownload({
        url,
        policy: context.egress,
        trustedHosts: [],
        timeoutMs: downloadTimeoutMs,
        maxBytes: maxDownloadBytes,
      });
      return await put(filename ?? field, stream);
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      throw invalidField(field, 'INVALID_URL', `${field}: the file at this URL cannot be downloaded.`);
    }
  }

  return {
    async store(filename, body) {
      const digest = createHash('sha256');
      const id = await put(
        filename,
        passing(body, (chunk) => digest.update(chunk)),
      );
      return { id, digest: digest.digest('hex') };
    },
    async fetch(field, source) {
      if (source.startsWith('file_')) return source;
      const data = /^data:[^,]{0,200};base64,/i.exec(source);
      if (data) return await put(field, Buffer.from(source.slice(data[0].length), 'base64'));
      if (/^https?:\/\//i.test(source)) return await download(field, source);
      throw invalidField(field, 'INVALID_FORMAT', `${field} must be a data URI in base64, or a URL.`);
    },
    async discard() {
      await Promise.all(ids.splice(0).map((id) => removeFile(context, organizationId, id)));
    },
  };
}

function passing(body: Readable, onChunk: (chunk: Buffer) => void): Readable {
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onChunk(chunk);
      done(null, chunk);
    },
  });
  return pipeline(body, through, () => {});
}

/** What tells equal sources from others. */
export function digestOf(source: string): string {
  return hash('sha256', source);
}
