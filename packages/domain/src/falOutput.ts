import { isId } from './ids.ts';
import { isObject } from './inputFiles.ts';

export type FalFile = { filename: string; contentType: string | null; sizeBytes: number | null };

/** Where anyone may read a file. */
export type FileUrl = (id: string, filename: string) => string;

/** Lists, and what models at fal call their only member. */
const singles = new Map([
  ['images', 'image'],
  ['videos', 'video'],
  ['audios', 'audio'],
  ['files', 'file'],
]);

/** An output as models at fal give it: files are URLs with what is known of them, and a text is called `output`, too. */
export function falOutput(
  output: Record<string, unknown> | null,
  files: ReadonlyMap<string, FalFile>,
  urlOf: FileUrl,
): Record<string, unknown> {
  function shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shown);
    if (!isObject(value)) return value;
    const { file_id: id, format, ...more } = value;
    if (typeof id !== 'string' || !isId('file', id))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)]));
    const file = files.get(id);
    const filename = file?.filename ?? `output.${typeof format === 'string' ? format : 'bin'}`;
    return {
      ...more,
      url: urlOf(id, filename),
      content_type: file?.contentType ?? null,
      file_name: filename,
      file_size: file?.sizeBytes ?? null,
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
