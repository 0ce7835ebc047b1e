import { sendObject } from '@holdfast/files/objectResponse';
import type { LinkedFile, Signer } from '@holdfast/kit/signer';
import { z } from 'zod';
import { type Endpoint, keylessEndpoint } from '../context/endpoint.ts';
import { findReadyFile } from '../files/readyFiles.ts';
import { respondStoreError } from '../files/storage.ts';
import { notFound } from '../http/fields.ts';

/** Null: no key of ours signed it. */
export function linkedFile(signer: Signer, link: string): LinkedFile | null {
  const signed = signer.verify(link);
  if (signed === null) return null;
  const [organizationId, id] = signed as [string, string];
  return { organizationId, id };
}

/** Serves the links below `path`: clients of faces fetch outputs without a key. */
export function fileLinkEndpoint(path: string, tag: string): Endpoint {
  return keylessEndpoint({
    method: 'GET',
    path: `${path}/{link}/{filename}`,
    tag,
    summary: 'Read an output file',
    access: 'anyone',
    limit: 'other',
    params: z.object({ link: z.string(), filename: z.string() }),
    responses: { 200: { description: 'The bytes', schema: null } },
    async handle({ context, params, raw }) {
      const file = linkedFile(context.fileLinks, params.link);
      if (file === null) throw notFound('file');
      const owner = { organizationId: file.organizationId, token: null };
      const { key, filename, contentType } = await findReadyFile(context, owner, file.id);
      await sendObject(
        raw.request,
        raw.response,
        context.store,
        { key, filename, contentType },
        respondStoreError,
      );
      return null;
    },
  });
}
