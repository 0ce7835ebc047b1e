import type { IncomingHttpHeaders } from 'node:http';
import { insertUpload } from '@holdfast/db/files';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { anyType } from '@holdfast/files/contentTypes';
import { sanitiseFilename } from '@holdfast/files/filename';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { requestFileDays } from '../requestFiles.ts';
import { fileUrl } from './output.ts';
import { signedUpload } from './parts.ts';
import { falPrefix } from './target.ts';
import { fileLifetimeS } from './wishes.ts';

const rest = `${falPrefix}rest`;
const common = {
  method: 'POST',
  tag: 'fal',
  scope: 'files',
  limit: 'other',
  responses: { 200: { description: 'Where the file goes, and where it is then', schema: null } },
} as const;

type Call = { context: Context; caller: Caller; headers: IncomingHttpHeaders; publicUrl: string };

const dayS = 86_400;

/** In whole days, as Holdfast deletes uploads. Without a wish, one is kept as the files of a request are. */
function daysOf(headers: IncomingHttpHeaders): number {
  const wish = headers['x-fal-object-lifecycle'] ?? headers['x-fal-object-lifecycle-preference'];
  const lifetimeS = fileLifetimeS(wish);
  return lifetimeS === undefined ? requestFileDays : Math.ceil(lifetimeS / dayS);
}

async function startUpload({ context, caller, headers, publicUrl }: Call, name: string) {
  const { organizationId } = caller;
  const id = newId('file');
  const filename = sanitiseFilename(name);
  const upload = { id, organizationId, filename, contentType: null, sizeBytes: null };
  await insertUpload(context.db, { ...upload, ttlDays: daysOf(headers) });
  return { id, url: fileUrl({ context, publicUrl }, { organizationId, id }, filename) };
}

const described = z.looseObject({ file_name: z.string().max(1024).optional() });
const query = z.object({ storage_type: z.string().optional() });

export const postInitiate = endpoint({
  ...common,
  path: `${rest}/storage/upload/initiate`,
  operationId: 'initiateFalUpload',
  summary: 'Start an upload',
  query,
  body: described,
  async handle({ body, ...call }) {
    const { id, url } = await startUpload(call, body.file_name ?? 'file');
    const expiresInS = limits.uploadUrlS;
    const terms = { key: id, contentType: null, sizeBytes: null, expiresInS };
    const upload_url = await call.context.store.presignUpload(terms);
    return { status: 200, body: { upload_url, file_url: url } };
  },
});

export const postInitiateMultipart = endpoint({
  ...common,
  path: `${rest}/storage/upload/initiate-multipart`,
  operationId: 'initiateFalMultipartUpload',
  summary: 'Start an upload in parts',
  query,
  body: described,
  async handle({ body, ...call }) {
    const { id, url } = await startUpload(call, body.file_name ?? 'file');
    const upload_url = `${call.publicUrl}${falPrefix}uploads/${signedUpload(call, id)}`;
    return { status: 200, body: { upload_url, file_url: url } };
  },
});

/** In place of an execution's id, in the tokens with which Python's client uploads. */
const tokenFor = 'uploads of ';

export const postStorageToken = endpoint({
  ...common,
  path: `${rest}/storage/auth/token`,
  operationId: 'createFalStorageToken',
  summary: 'Create a token for uploads',
  query,
  body: z.looseObject({}),
  async handle({ context, caller, publicUrl }) {
    const expiresAtMs = Date.now() + limits.uploadUrlS * 1000;
    const { apiKeyId } = caller;
    const token = context.tokens.sign({ executionId: `${tokenFor}${apiKeyId}`, apiKeyId, expiresAtMs });
    // Older Pythons read no Z.
    const expires_at = new Date(expiresAtMs).toISOString().replace('Z', '+00:00');
    return {
      status: 200,
      body: { token, token_type: 'Bearer', base_url: `${publicUrl}${rest}`, expires_at },
    };
  },
});

/** Tokens of executions only read. @throws ApiError FORBIDDEN */
function requireUploader({ token }: Caller): void {
  if (token !== null && !token.executionId.startsWith(tokenFor))
    throw new ApiError('FORBIDDEN', 'An execution token can only read its execution.');
}

const nameIn = (headers: IncomingHttpHeaders) => headers['x-fal-file-name']?.toString() ?? 'upload.bin';
/** A body of any size is streamed into the store. */
const streamed = { bufferedBytes: 65_536, maxBytes: limits.maxFileBytes };

export const postFile = endpoint({
  ...common,
  path: `${rest}/files/upload`,
  operationId: 'uploadFalFile',
  summary: 'Upload a file',
  allowsTokens: true,
  rawBody: streamed,
  async handle({ body, ...call }) {
    requireUploader(call.caller);
    const { id, url } = await startUpload(call, nameIn(call.headers));
    await call.context.store.put(id, body, { contentType: anyType });
    return { status: 200, body: { access_url: url } };
  },
});

export const postFileMultipart = endpoint({
  ...common,
  path: `${rest}/files/upload/multipart`,
  operationId: 'startFalMultipartFile',
  summary: 'Start to upload a file in parts',
  allowsTokens: true,
  rawBody: { bufferedBytes: 1024, maxBytes: 1024 },
  async handle(call) {
    requireUploader(call.caller);
    const { id, url } = await startUpload(call, nameIn(call.headers));
    return { status: 200, body: { access_url: url, uploadId: signedUpload(call, id) } };
  },
});
