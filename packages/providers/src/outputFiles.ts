import type { OutputKind } from '@holdfast/domain/modelResponse';
import type { Success } from '@holdfast/domain/outcome';
import { portOf } from '@holdfast/egress/addresses';
import type { Connection } from './connection.ts';
import { findAll, replaceAt } from './place.ts';

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

/** An output of another type than the model's kind; `message` names both and may be shown to clients. */
export class WrongOutputType extends UnusableOutput {}

const reference = /^(https?:\/\/|data:)/i;
/** In `raw` output a text may start with a URL. */
const whole = /^(https?:\/\/\S+$|data:[\w/+.-]*(;[\w/+.="-]*)*,(?! ))/i;

/** `files`: the places of the files in `raw` output; without them, they are found by their form. */
export type OutputShape = { kind: OutputKind; files?: readonly string[] | undefined };

/**
 * Replaces each file by its copy's record: each entry of the kind's list, even equal ones, as each is charged; in `raw` output
 * each URL once. Rejects with the first failed copy after all have finished; UnusableOutput for an empty, mixed or long list.
 */
export async function copyOutputFiles(
  success: Success,
  shape: OutputShape,
  copy: (url: string, index: number) => Promise<StoredFile>,
  maxFiles = 100,
  bodies: References = new Set(),
): Promise<Success> {
  const { output } = success;
  const { kind } = shape;
  const found = findOutputFiles(output, shape, bodies);
  if (found.length > maxFiles) throw new UnusableOutput(`an output of ${found.length} files is not copied`);
  if (isFileList(kind) && !(found.length > 0 && found.length === lengthOf(output[kind]))) {
    throw new UnusableOutput('an output is not a list of files');
  }
  const all = found.map(({ value }) => value);
  const urls = isFileList(kind) ? all : [...new Set(all)];
  const copies = await Promise.allSettled(urls.map((url, index) => copy(url, index)));
  const stored = copies.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  if (isFileList(kind)) return { ...success, output: { ...output, [kind]: stored } };
  const files = new Map(urls.map((url, index) => [url, stored[index]]));
  const records = found.map(({ path, value }) => ({ path, value: files.get(value) }));
  return { ...success, output: replaceAt(output, records) as Success['output'] };
}

/** References to the files that came with a response. */
type References = { has(reference: string): boolean };

/** Whether `copyOutputFiles` has anything to copy or to refuse. */
export function hasOutputFiles(
  output: Record<string, unknown>,
  shape: OutputShape,
  bodies: References,
): boolean {
  return isFileList(shape.kind) || findOutputFiles(output, shape, bodies).length > 0;
}

function isFileList(kind: OutputKind): boolean {
  return kind !== 'text' && kind !== 'raw';
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

type FoundFile = { path: (string | number)[]; value: string };

function findOutputFiles(
  output: Record<string, unknown>,
  { kind, files }: OutputShape,
  bodies: References,
): FoundFile[] {
  const isFile = ({ value }: FoundFile) => reference.test(value) || bodies.has(value);
  if (kind === 'text') return stringsIn(output, []).filter(({ value }) => bodies.has(value));
  if (kind !== 'raw') return urlsIn(output[kind]).filter(isFile);
  if (files === undefined)
    return stringsIn(output, []).filter(({ value }) => whole.test(value) || bodies.has(value));
  return files
    .flatMap((place) => findAll(output, place))
    .filter((found): found is FoundFile => typeof found.value === 'string')
    .filter(isFile);
}

function urlsIn(list: unknown): FoundFile[] {
  if (!Array.isArray(list)) return [];
  return list.map((file: unknown, index) => ({ path: [index], value: isUrlObject(file) ? file.url : '' }));
}

function stringsIn(value: unknown, path: (string | number)[]): FoundFile[] {
  if (typeof value === 'string') return [{ path, value }];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => stringsIn(one, [...path, name]));
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
