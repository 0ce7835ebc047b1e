import { getFiles } from '@holdfast/db/files';
import { limits } from '@holdfast/domain/limits';
import type { LinkedFile } from '@holdfast/kit/signer';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { type Endpoint, keylessEndpoint } from '../../context/endpoint.ts';
import { notFound } from '../../http/fields.ts';
import { joinParts, maxParts, removeParts, storePart } from '../fileParts.ts';
import { filesPath } from './output.ts';
import { falPrefix } from './target.ts';

/** What a file may be uploaded with, in parts: clients send no key with them. */
export function signedUpload(
  { context, caller }: { context: Context; caller: Pick<Caller, 'organizationId'> },
  id: string,
): string {
  return context.fileUploads.sign([caller.organizationId, id, Date.now() + limits.uploadUrlS * 1000]);
}

/** @throws ApiError NOT_FOUND */
function uploadOf({ fileUploads }: Context, text: string): LinkedFile {
  const [organizationId, id, expiresAtMs] = (fileUploads.verify(text) ?? ['', '', 0]) as [
    string,
    string,
    number,
  ];
  if (Date.now() >= expiresAtMs) throw notFound('upload');
  return { organizationId, id };
}

const common = { tag: 'fal', access: 'anyone', limit: 'other' } as const;
const responses = { 200: { description: 'What is needed to complete the upload', schema: null } };

function putPart(path: string): Endpoint {
  return keylessEndpoint({
    ...common,
    responses,
    method: 'PUT',
    path: `${path}/{part}`,
    summary: 'Upload a part of a file',
    params: z.looseObject({ upload: z.string(), part: z.string().regex(/^\d{1,4}$/) }),
    rawBody: { bufferedBytes: 65_536, maxBytes: limits.maxFileBytes },
    async handle({ context, params, body, raw }) {
      const file = uploadOf(context, params.upload);
      const id = await storePart(context, file, body);
      raw.response.setHeader('ETag', `"${id}"`);
      return { status: 200, body: { partNumber: Number(params.part), etag: id } };
    },
  });
}

const completeBody = z.looseObject({
  parts: z
    .array(z.looseObject({ partNumber: z.int(), etag: z.string().max(200) }))
    .min(1)
    .max(maxParts),
});

function postComplete(path: string): Endpoint {
  return keylessEndpoint({
    ...common,
    responses,
    method: 'POST',
    path: `${path}/complete`,
    summary: 'Complete the upload of a file',
    params: z.looseObject({ upload: z.string() }),
    body: completeBody,
    async handle({ context, params, body }) {
      const file = uploadOf(context, params.upload);
      const ids = [...body.parts]
        .sort((one, other) => one.partNumber - other.partNumber)
        .map(({ etag }) => etag.replaceAll('"', ''));
      await join(context, file, ids);
      return { status: 200, body: { ok: true } };
    },
  });
}

/** Clients repeat it: once the file is whole, its parts are gone. @throws ApiError */
async function join(context: Context, file: LinkedFile, ids: readonly string[]): Promise<void> {
  const [target] = await getFiles(context.db, file.organizationId, [file.id]);
  if (target === undefined) throw notFound('upload');
  if (target.state === 'ready' || (await context.store.stat(target.key)) !== null) return;
  await joinParts(context, { ...file, key: target.key }, ids);
  await removeParts(context, file, ids);
}

/** JavaScript's client goes on below the upload's URL, and Python's below the file's. */
const paths = [`${falPrefix}uploads/{upload}`, `${filesPath}/{link}/{filename}/multipart/{upload}`];

export const partEndpoints: readonly Endpoint[] = paths.flatMap((path) => [
  putPart(path),
  postComplete(path),
]);
