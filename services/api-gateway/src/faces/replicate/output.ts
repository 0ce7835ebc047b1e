import { buffer } from 'node:stream/consumers';
import { readShown } from '@holdfast/db/streams';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { predictionOutput } from '@holdfast/domain/replicatePrediction';
import { fileLink } from '@holdfast/kit/signer';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { findReadyFile } from '../../files/readyFiles.ts';
import { linkedFile } from '../fileLinks.ts';
import { openFile } from '../outputFiles.ts';

export const outputPath = '/v1/replicate/output';

export type Reader = { context: Context; caller: Caller; publicUrl: string };

/** Clients take `http:` URLs for texts: on a server for development, small files are `data:` URIs. */
const maxInlineBytes = 5_242_880;

type Shown = { output: unknown; logs: string | null };

/** An output as Replicate's models give it: a text or its pieces, URLs, or any JSON with URLs in place of files. With its log. */
export async function shownOf(reader: Reader, execution: Execution, inlines: boolean): Promise<Shown> {
  const { output, logs, onCancel, erasedAt } = execution;
  if (erasedAt !== null) return { output: null, logs: null };
  if (onCancel !== null && (output === null || typeof output['text'] === 'string'))
    return await streamedOf(reader.context, execution);
  if (output === null) return { output: null, logs };
  const made = await predictionOutput(output, (id, filename) => urlOf(reader, id, filename, inlines));
  return { output: made, logs };
}

/** Clients that poll take what is new by the number of pieces: they stay the same once the execution has ended. */
async function streamedOf({ db }: Context, execution: Execution): Promise<Shown> {
  const { pieces, logs } = await readShown(db, execution.id);
  const whole = execution.output?.['text'] ?? execution.partialOutput;
  const isOther = typeof whole === 'string' && pieces?.join('') !== whole;
  return { output: isOther ? [whole] : pieces, logs: execution.logs || logs };
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
