import { limits } from './limits.ts';
import type { ProviderRoute } from './modelRoute.ts';

export type InputFile = { path: (string | number)[]; id: string };

/** Valid in a property with `format: file`; URLs and paths are not. */
export const fileReferenceFormat = /^file_[A-Za-z0-9_-]{1,64}$/;

const prefix = /^file_/i;
const fileId = /^file_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `file_<uuid>` strings anywhere, and any `file_...` string where the schema says `format: file`. */
export function findInputFiles(schema: unknown, input: unknown): InputFile[] {
  const texts = strings(input, []).filter(({ id }) => prefix.test(id));
  // Most inputs refer to no file, and the walk through the schema costs more.
  if (texts.length === 0) return [];
  const marked = new Set<string>();
  markFiles(schema, schema, input, [], marked, 0);
  return texts
    .filter(({ path, id }) => fileId.test(id) || (marked.has(key(path)) && fileReferenceFormat.test(id)))
    .map(({ path, id }) => ({ path, id }));
}

/** A data URI is held in memory during its run, a third larger than the file. */
const dataUriBytes = 8 * 1024 * 1024;

export function maxInputFileBytes({ files }: Pick<ProviderRoute, 'files'>): number {
  return files.max_bytes ?? (files.as === 'data_uri' ? dataUriBytes : limits.maxFileBytes);
}

export function replaceInputFiles(
  input: Record<string, unknown>,
  files: readonly InputFile[],
  replacement: (id: string) => string,
): Record<string, unknown> {
  const copy = structuredClone(input);
  for (const { path, id } of files) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
    (parent as Record<string, unknown>)[path.at(-1) ?? ''] = replacement(id);
  }
  return copy;
}

function strings(value: unknown, path: (string | number)[]): InputFile[] {
  if (typeof value === 'string') return [{ path, id: value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => strings(one, [...path, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => strings(one, [...path, name]));
}

/** Walks schema and value together; `depth` bounds recursive schemas. */
function markFiles(
  root: unknown,
  schema: unknown,
  value: unknown,
  path: (string | number)[],
  marked: Set<string>,
  depth: number,
): void {
  if (!isObject(schema) || depth > 32) return;
  const walk = (part: unknown, at: unknown, where: (string | number)[]) =>
    markFiles(root, part, at, where, marked, depth + 1);

  if (typeof value === 'string' && schema.format === 'file') marked.add(key(path));
  if (typeof schema.$ref === 'string') walk(definitionOf(root, schema.$ref), value, path);
  for (const choice of [schema.allOf, schema.anyOf, schema.oneOf].flat()) walk(choice, value, path);
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) walk(schema.items, one, [...path, index]);
  } else if (isObject(value) && isObject(schema.properties)) {
    for (const [name, part] of Object.entries(schema.properties)) {
      if (Object.hasOwn(value, name)) walk(part, value[name], [...path, name]);
    }
  }
}

/** What a `$ref` into the same schema refers to. */
export function definitionOf(root: unknown, reference: string): unknown {
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function key(path: readonly (string | number)[]): string {
  return JSON.stringify(path);
}
