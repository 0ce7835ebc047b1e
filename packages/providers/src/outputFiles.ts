import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Success } from '@holdfast/domain/outcome';
import { portOf } from '@holdfast/egress/addresses';
import type { Connection } from './connection.ts';

/** A stored file as the output shows it: pixels, and seconds of audio and video, if known. */
export type StoredFile = {
  file_id: string;
  format: string;
  width?: number;
  height?: number;
  duration?: number;
};

/** An output that no retry can store. */
export class UnusableOutput extends Error {}

const reference = /^(https?:\/\/|data:)/i;
/** In `raw` output a text may start with a URL. */
const whole = /^(https?:\/\/\S+$|data:[\w/+.-]*(;[\w/+.="-]*)*,(?! ))/i;

/**
 * Replaces each file by its copy's record: each entry of the kind's list, even equal ones, as each is charged; in `raw` output
 * each URL once. Rejects with the first failed copy after all have finished; UnusableOutput for an empty, mixed or long list.
 */
export async function copyOutputFiles(
  success: Success,
  kind: OutputKind,
  copy: (url: string, place: number) => Promise<StoredFile>,
  maxFiles = 100,
  bodies: References = new Set(),
): Promise<Success> {
  const found = findOutputFiles(success.output, kind, bodies);
  if (found.length > maxFiles) throw new UnusableOutput(`an output of ${found.length} files is not copied`);
  if (isFileList(kind) && !(found.length > 0 && found.length === lengthOf(success.output[kind]))) {
    throw new UnusableOutput('an output is not a list of files');
  }
  const urls = isFileList(kind) ? found : [...new Set(found)];
  const copies = await Promise.allSettled(urls.map((url, place) => copy(url, place)));
  const stored = copies.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  if (isFileList(kind)) return { ...success, output: { ...success.output, [kind]: stored } };
  const files = new Map(urls.map((url, place) => [url, stored[place]]));
  return { ...success, output: replaced(success.output, files) as Success['output'] };
}

/** Of the files that came with a response. */
type References = { has(reference: string): boolean };

/** Whether `copyOutputFiles` has anything to copy or to refuse. */
export function hasOutputFiles(
  output: Record<string, unknown>,
  kind: OutputKind,
  bodies: References,
): boolean {
  return isFileList(kind) || findOutputFiles(output, kind, bodies).length > 0;
}

function isFileList(kind: OutputKind): boolean {
  return kind !== 'text' && kind !== 'raw';
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function findOutputFiles(output: Record<string, unknown>, kind: OutputKind, bodies: References): string[] {
  if (kind === 'text') return [];
  if (kind === 'raw') return stringsIn(output).filter((text) => whole.test(text) || bodies.has(text));
  return urlsIn(output[kind]).filter((text) => reference.test(text) || bodies.has(text));
}

function urlsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((file: unknown) => (isUrlObject(file) ? file.url : ''));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}

function replaced(value: unknown, files: Map<string, StoredFile | undefined>): unknown {
  if (typeof value === 'string') return files.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, files));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, files)]));
}

function isUrlObject(value: unknown): value is { url: string } {
  return value !== null && typeof value === 'object' && 'url' in value && typeof value.url === 'string';
}

/** `host:port` of hosts whose output files need no egress check: the provider's own, and <NAME>_OUTPUT_ORIGINS. */
export function trustedHosts({ baseUrl, settings }: Connection): string[] {
  const urls = [new URL(baseUrl), ...outputOrigins(settings).flatMap(({ url }) => url ?? [])];
  return urls.map((url) => `${url.hostname}:${portOf(url)}`);
}

/** The entries of <NAME>_OUTPUT_ORIGINS; `url` is null for an invalid one. */
export function outputOrigins({
  OUTPUT_ORIGINS = '',
}: Connection['settings']): { text: string; url: URL | null }[] {
  const texts = OUTPUT_ORIGINS.split(',').map((text) => text.trim());
  return texts
    .filter((text) => text !== '')
    .map((text) => ({ text, url: /^https?:\/\/[^/?#]+\/?$/i.test(text) ? URL.parse(text) : null }));
}
