import { buffer } from 'node:stream/consumers';
import { shownPieces } from '@holdfast/db/streams';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { isId } from '@holdfast/domain/ids';
import { isObject } from '@holdfast/domain/inputFiles';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { findReadyFile } from '../../files/readyFiles.ts';
import { fileLink, linkedFile } from '../fileLinks.ts';
import { openFile } from '../outputFiles.ts';

export const outputPath = '/v1/replicate/output';

export type Reader = { context: Context; caller: Caller; publicUrl: string };

/** Clients take `http:` URLs for texts: on a server for development, small files are `data:` URIs. */
const maxInlineBytes = 5_242_880;

/** Lists of files, by the name of the only member of an output. */
const fileLists = ['images', 'videos', 'audios', 'files'];

/** An output as Replicate's models give it: a text or its pieces, URLs, or any JSON with URLs in place of files. */
export async function outputOf(reader: Reader, execution: Execution, inlines: boolean): Promise<unknown> {
  const { output, onCancel, erasedAt } = execution;
  if (erasedAt !== null) return null;
  if (onCancel !== null && (output === null || typeof output['text'] === 'string'))
    return await piecesOf(reader.context, execution);
  if (output === null) return null;
  const entries = Object.entries(output);
  const [[name, only] = ['', null]] = entries;
  if (entries.length !== 1) return await withUrls(reader, output, inlines);
  if (name === 'text') return only;
  if (!fileLists.includes(name) || !Array.isArray(only)) return await withUrls(reader, output, inlines);
  const urls = await Promise.all(only.map((file) => withUrls(reader, file, inlines)));
  return name !== 'images' && urls.length === 1 ? urls[0] : urls;
}

/** Clients that poll take what is new by the number of pieces: they stay the same once the execution has ended. */
async function piecesOf({ db }: Context, { id, output, partialOutput }: Execution): Promise<string[] | null> {
  const pieces = await shownPieces(db, id);
  const whole = output?.['text'] ?? partialOutput;
  if (typeof whole !== 'string' || pieces?.join('') === whole) return pieces;
  return [whole];
}

async function withUrls(reader: Reader, value: unknown, inlines: boolean): Promise<unknown> {
  if (Array.isArray(value)) return await Promise.all(value.map((one) => withUrls(reader, one, inlines)));
  if (!isObject(value)) return value;
  const { file_id: id, format } = value;
  if (typeof id === 'string' && isId('file', id))
    return await urlOf(reader, id, `output.${typeof format === 'string' ? format : 'bin'}`, inlines);
  const members = Object.entries(value).map(
    async ([name, one]) => [name, await withUrls(reader, one, inlines)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

export function linkOf({ context, caller, publicUrl }: Reader, id: string, filename: string): string {
  const { organizationId } = caller;
  return `${publicUrl}${outputPath}/${fileLink(context.fileLinks, { organizationId, id }, filename)}`;
}

async function urlOf(reader: Reader, id: string, filename: string, inlines: boolean): Promise<string> {
  const { context, caller, publicUrl } = reader;
  const url = linkOf(reader, id, filename);
  if (!inlines || !publicUrl.startsWith('http:')) return url;
  try {
    const file = await findReadyFile(context, caller, id);
    if (file.sizeBytes > maxInlineBytes) return url;
    const bytes = await buffer(await openFile(context.store, file));
    return `data:${file.contentType};base64,${bytes.toString('base64')}`;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return url;
    throw error;
  }
}

/** The file that a URL of this face names: an upload, or an output of the same organization. */
export function ownFile({ context, caller, publicUrl }: Reader, url: string): string | null {
  const path = url.startsWith(`${publicUrl}/v1/replicate/`) ? new URL(url).pathname : '';
  const [, upload] = /^\/v1\/replicate(?:\/v1)?\/files\/([^/]+)$/.exec(path) ?? [];
  if (upload !== undefined) return upload;
  const [, link] = /^\/v1\/replicate(?:\/v1)?\/output\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  const file = link === undefined ? null : linkedFile(context.fileLinks, link);
  return file?.organizationId === caller.organizationId ? file.id : null;
}
