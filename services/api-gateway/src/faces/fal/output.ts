import { getFiles } from '@holdfast/db/files';
import type { Execution } from '@holdfast/domain/execution';
import { falOutput } from '@holdfast/domain/falOutput';
import { fileIdsIn } from '@holdfast/domain/outputFiles';
import { fileLink, type LinkedFile } from '@holdfast/kit/signer';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { linkedFile } from '../fileLinks.ts';
import { falPrefix } from './target.ts';

export const filesPath = `${falPrefix}files`;

export type Reader = { context: Context; caller: Pick<Caller, 'organizationId'>; publicUrl: string };

/** An output as models at fal give it. */
export async function outputOf(reader: Reader, { output }: Pick<Execution, 'output'>): Promise<object> {
  const { organizationId } = reader.caller;
  const files = await getFiles(reader.context.db, organizationId, fileIdsIn(output));
  return falOutput(output, new Map(files.map((file) => [file.id, file])), (id, filename) =>
    fileUrl(reader, { organizationId, id }, filename),
  );
}

export function fileUrl(
  { context, publicUrl }: Pick<Reader, 'context' | 'publicUrl'>,
  file: LinkedFile,
  filename: string,
): string {
  return `${publicUrl}${filesPath}/${fileLink(context.fileLinks, file, filename)}`;
}

const linkInUrl = new RegExp(`^https?://[^/]+${filesPath}/([^/]+)/[^/?]+$`);

/** The file of the same organization that a URL of this face names. Its signature says whose it is, on whatever host. */
export function ownFile({ context, caller }: Reader, url: string): string | null {
  const [, link] = linkInUrl.exec(url) ?? [];
  const file = link === undefined ? null : linkedFile(context.fileLinks, link);
  return file?.organizationId === caller.organizationId ? file.id : null;
}
