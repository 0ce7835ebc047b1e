import { getFiles } from '@holdfast/db/files';
import type { Execution } from '@holdfast/domain/execution';
import { isId } from '@holdfast/domain/ids';
import { isObject } from '@holdfast/domain/inputFiles';
import { fileLink, type LinkedFile } from '@holdfast/kit/signer';
import type { Caller } from '../../access/identity.ts';
import type { Context } from '../../context/context.ts';
import { linkedFile } from '../fileLinks.ts';
import { falPrefix } from './target.ts';

export const filesPath = `${falPrefix}files`;

export type Reader = { context: Context; caller: Pick<Caller, 'organizationId'>; publicUrl: string };

/** Lists, and what models at fal call their only member. */
const singles = new Map([
  ['images', 'image'],
  ['videos', 'video'],
  ['audios', 'audio'],
  ['files', 'file'],
]);

/** An output as models at fal give it: files are URLs with what is known of them, and a text is called `output`, too. */
export async function outputOf(reader: Reader, { output }: Pick<Execution, 'output'>): Promise<object> {
  const { db } = reader.context;
  const rows = await getFiles(db, reader.caller.organizationId, fileIdsIn(output));
  const known = new Map(rows.map((row) => [row.id, row]));

  function shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (!isObject(value)) return value;
    const { file_id: id, format, ...more } = value;
    if (typeof id !== 'string' || !isId('file', id))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)]));
    const row = known.get(id);
    const filename = row?.filename ?? `output.${typeof format === 'string' ? format : 'bin'}`;
    return {
      ...more,
      url: fileUrl(reader, { organizationId: reader.caller.organizationId, id }, filename),
      content_type: row?.contentType ?? null,
      file_name: filename,
      file_size: row?.sizeBytes ?? null,
    };
  }

  return withAliases(shown(output ?? {}) as Record<string, unknown>);
}

function withAliases(output: Record<string, unknown>): Record<string, unknown> {
  const [[name, value] = ['', null], ...others] = Object.entries(output);
  if (name === 'text' && typeof value === 'string') return { output: value, ...output };
  const single = singles.get(name);
  if (single === undefined || others.length > 0 || !Array.isArray(value) || value.length !== 1) return output;
  return { ...output, [single]: value[0] };
}

function fileIdsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const id = 'file_id' in value ? value.file_id : null;
  return typeof id === 'string' && isId('file', id) ? [id] : Object.values(value).flatMap(fileIdsIn);
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
