import type { OutputKind } from '@holdfast/domain/modelAnswers';
import type { Success } from '@holdfast/domain/outcome';

/** A file of ours, as an execution's output shows it: pixels of pictures and videos, seconds of audio and video, if known. */
export type StoredFile = {
  file_id: string;
  format: string;
  width?: number;
  height?: number;
  duration?: number;
};

/** An output of which no later try will make files of ours. */
export class UnusableOutput extends Error {}

const reference = /^(https?:\/\/|data:)/i;
/** In \`raw\` output, where a text may begin with a URL, or with the word. */
const whole = /^(https?:\/\/\S+$|data:[\w/+.-]*(;[\w/+.="-]*)*,(?! ))/i;

/**
 * The success with every file in its output copied by `copy` (from an https or data URL of the provider) and
 * replaced by our record of it. Files are the list that the kind names (`images`, `videos` ...), and in `raw` output
 * every string that is wholly a URL. Rejects with the first copy that failed, once none is under way any more, and with
 * UnusableOutput for more than `mostFiles`, and for a list that is empty or names anything else than files.
 */
export async function copyOutputFiles(
  success: Success,
  kind: OutputKind,
  copy: (url: string) => Promise<StoredFile>,
  mostFiles = 100,
): Promise<Success> {
  const found = findOutputFiles(success.output, kind);
  if (found.length > mostFiles) throw new UnusableOutput(`an output of ${found.length} files is not copied`);
  if (isFileList(kind) && !(found.length > 0 && found.length === lengthOf(success.output[kind]))) {
    throw new UnusableOutput('an output is not a list of files');
  }
  const urls = [...new Set(found)];
  const copies = await Promise.allSettled(urls.map((url) => copy(url)));
  const stored = new Map<string, StoredFile>();
  for (const [index, result] of copies.entries()) {
    if (result.status === 'rejected') throw result.reason;
    stored.set(urls[index] ?? '', result.value);
  }
  return { ...success, output: replaced(success.output, kind, stored) as Success['output'] };
}

function isFileList(kind: OutputKind): boolean {
  return kind !== 'text' && kind !== 'raw';
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/** The provider's URLs of all files in an output, in its order. */
function findOutputFiles(output: Record<string, unknown>, kind: OutputKind): string[] {
  if (kind === 'text') return [];
  if (kind === 'raw') return stringsIn(output).filter((text) => whole.test(text));
  return urlsIn(output[kind]).filter((text) => reference.test(text));
}

function urlsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((file: unknown) => (isUrlObject(file) ? file.url : ''));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}

function replaced(value: unknown, kind: string, stored: Map<string, StoredFile>): unknown {
  if (typeof value === 'string') return stored.get(value) ?? value;
  if (kind !== 'raw' && isUrlObject(value)) return stored.get(value.url) ?? value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, kind, stored));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, kind, stored)]));
}

function isUrlObject(value: unknown): value is { url: string } {
  return value !== null && typeof value === 'object' && 'url' in value && typeof value.url === 'string';
}
